-- When kernels of matrix products on 16-bit floats run with a size that is not a multiple of $multiple.
WITH sizes AS (
    SELECT id, list_transform(regexp_extract_all(shapes, '\d+'), lambda x: x::BIGINT) AS list
    FROM raw.signatures
    WHERE regexp_matches(dtypes, 'Half|BFloat16|float16|bfloat16')
), misaligned AS (
    SELECT id FROM sizes WHERE len(list_filter(list, lambda x: x > $multiple AND x % $multiple <> 0)) > 0
)
SELECT t.rank::BIGINT AS rank, d.begin_ns::BIGINT AS begin_ns, (d.begin_ns + d.dur_ns)::BIGINT AS end_ns
FROM sel_device d
JOIN raw.ops o ON o.id = d.op_span
JOIN raw.op_identities i ON i.id = o.op AND regexp_matches(i.name, '^aten::(mm|addmm|bmm|baddbmm|_scaled_mm)$')
JOIN raw.tracks t ON t.id = d.track
WHERE d.kind = device_kind('kernel') AND o.signature IN (SELECT id FROM misaligned)
ORDER BY 1, 2
