-- When kernels of matrix products on 16-bit floats run with an inner or last size (K, N) that is not a multiple of
-- $multiple: these are contiguous in memory. How many rows or matrices there are does not matter to the alignment.
WITH matrices AS (
    SELECT id, shapes, dtypes, regexp_extract_all(shapes, '\[(\d+(?:, \d+)+)\]', 1) AS list
    FROM raw.signatures
    WHERE regexp_matches(dtypes, 'Half|BFloat16|float16|bfloat16')
), products AS (
    SELECT o.id, list_transform(string_split(CASE WHEN i.name IN ('aten::addmm', 'aten::baddbmm') THEN m.list[-1]
                                                  ELSE m.list[2]
                                             END, ', '),
                                lambda x: TRY_CAST(x AS BIGINT)) AS second
    FROM raw.ops o
    JOIN raw.op_identities i ON i.id = o.op AND regexp_matches(i.name, '^aten::(mm|addmm|bmm|baddbmm|_scaled_mm)$')
    JOIN matrices m ON m.id = o.signature
), misaligned AS (
    SELECT id
    FROM products
    WHERE second[-1] > $multiple AND second[-1] % $multiple <> 0
       OR second[-2] > $multiple AND second[-2] % $multiple <> 0
)
SELECT t.rank::BIGINT AS rank, d.begin_ns::BIGINT AS begin_ns, (d.begin_ns + d.dur_ns)::BIGINT AS end_ns
FROM sel_device d
JOIN misaligned m ON m.id = d.op_span
JOIN raw.tracks t ON t.id = d.track
WHERE d.kind = device_kind('kernel')
