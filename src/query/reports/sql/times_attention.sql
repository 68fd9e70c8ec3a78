-- When kernels of softmaxes along the last dimension of square scores run, [.., S, S], as attention that is not fused
-- has them.
WITH sizes AS (
    SELECT id, regexp_extract_all(split_part(shapes, ']', 1), '\d+') AS list,
           TRY_CAST(regexp_extract(concrete, '"(-?\d+)"', 1) AS BIGINT) AS dim
    FROM raw.signatures
    WHERE regexp_matches(shapes, '^\[\[(\d+, )+\d+\]')
), square AS (
    SELECT id FROM sizes WHERE len(list) >= 3 AND list[-1] = list[-2] AND list[-1] <> '1'
      AND (dim IS NULL OR dim = -1 OR dim = len(list) - 1)
)
SELECT t.rank::BIGINT AS rank, s.begin_ns::BIGINT AS begin_ns, (s.begin_ns + s.dur_ns)::BIGINT AS end_ns
FROM (
    SELECT track, begin_ns, dur_ns, op, signature FROM sel_ops WHERE NOT $device
    UNION ALL
    SELECT d.track, d.begin_ns, d.dur_ns, o.op, o.signature
    FROM sel_device d
    JOIN raw.ops o ON o.id = d.op_span
    WHERE $device AND d.kind = device_kind('kernel')
) s
JOIN raw.op_identities i ON i.id = s.op AND regexp_matches(i.name, '^aten::_?softmax(_backward_data|\.int)?$')
JOIN raw.tracks t ON t.id = s.track
WHERE s.signature IN (SELECT id FROM square)
