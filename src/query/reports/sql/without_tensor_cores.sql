-- Kernels known not to use Tensor Cores, of ops that could, with the floats that these work on (of mixed ones the
-- narrowest, for scales and sums of 16-bit products are wider; empty: not told, or something else) and their form.
-- Of a transposed convolution shapes do not tell a group from one channel out: its kernel's name must.
CREATE TEMP TABLE without_tensor_cores AS
WITH shapes AS (
    SELECT id, list_transform(regexp_extract_all(shapes, '\[(\d+(?:, \d+)+)\]', 1),
                              lambda x: list_transform(string_split(x, ', '), lambda y: TRY_CAST(y AS BIGINT))) AS list
    FROM raw.signatures
), sizes AS (
    -- What is added to a product comes before its matrices; what comes back through a convolution before its input.
    SELECT id, list, len(list) AS lists, list[1][-2] AS rows_, list[2][-1] AS columns_, list[-2][-2] AS added_rows,
           list[-1][-1] AS added_columns
    FROM shapes
), ops AS (
    SELECT id, tc_eligible, name IN ('aten::addmm', 'aten::baddbmm') AS adds,
           regexp_matches(name, '^aten::(mm|addmm|bmm|baddbmm|_scaled_mm)$') AS product,
           regexp_matches(name, '^aten::(cudnn_convolution|miopen_convolution|conv[123]d|_conv_depthwise2d|'
               || 'conv_depthwise3d|miopen_depthwise_convolution)$') AS convolution,
           name = 'aten::convolution_backward' AS backward, regexp_matches(name, '(?i)conv') AS any_convolution,
           CASE WHEN regexp_matches(dtypes, '(?i)"(c10::)?(b?float16|half|float8\w*)"') THEN 'narrow'
                WHEN regexp_matches(dtypes, '"(float|float32)"') THEN 'fp32'
                WHEN regexp_matches(dtypes, '"(double|float64)"') THEN 'fp64'
                ELSE '' END AS floats
    FROM raw.op_identities
)
SELECT d.track, d.begin_ns, d.dur_ns, d.op,
       -- Kernels name their types where those of the op were not recorded.
       CASE WHEN i.floats <> '' THEN i.floats
            WHEN regexp_matches(k.name, '(?i)bfloat16|\b(__)?half\b') THEN 'narrow'
            WHEN regexp_matches(k.name, '\bfloat\b') THEN 'fp32'
            WHEN regexp_matches(k.name, '\bdouble\b') THEN 'fp64'
            ELSE '' END AS floats,
       CASE WHEN i.any_convolution AND regexp_matches(k.name, '(?i)depthwise|_c1_k1_')
                 OR i.convolution AND s.list[2][2] = 1 AND s.list[1][2] > 1
                 OR i.backward AND s.list[3][2] = 1 AND s.list[2][2] > 1 AND s.list[1][2] = s.list[3][1]
            THEN 'depthwise'
            WHEN i.product AND CASE WHEN coalesce(s.lists, 0) < 2 THEN regexp_matches(k.name, '(?i)gemv')
                                    WHEN i.adds THEN s.added_rows = 1 OR s.added_columns = 1
                                    ELSE s.rows_ = 1 OR s.columns_ = 1 END
            THEN 'vector'
            ELSE '' END AS form
FROM sel_device d
JOIN raw.kernel_names k ON k.id = d.name AND k.class = kernel_class('compute') AND k.uses_tc = tc_use('no')
JOIN ops i ON i.id = d.op AND i.tc_eligible
LEFT JOIN raw.ops o ON o.id = d.op_span
LEFT JOIN sizes s ON s.id = o.signature
WHERE d.kind = device_kind('kernel') AND has_flag(d.flags, 'in_eligible_op')
