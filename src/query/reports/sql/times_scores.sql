-- When work goes on that reads or writes attention scores, [.., S, S] of a softmax of the range: the softmaxes, what
-- masks, scales and drops, and the products that make scores of queries and keys or take them.
WITH sizes AS (
    SELECT id, regexp_extract_all(split_part(shapes, ']', 1), '\d+') AS list
    FROM raw.signatures
    WHERE regexp_matches(shapes, '^\[\[(\d+, )+\d+\]')
), squares AS (
    SELECT DISTINCT z.list[-1] AS s
    FROM sel_ops o
    JOIN raw.op_identities i ON i.id = o.op AND regexp_matches(i.name, '^aten::_?softmax(_backward_data|\.int)?$')
    JOIN sizes z ON z.id = o.signature AND len(z.list) >= 3 AND z.list[-1] = z.list[-2] AND z.list[-1] <> '1'
), scores AS (
    SELECT DISTINCT g.id
    FROM raw.signatures g, squares q
    WHERE contains(g.shapes, ', ' || q.s || ', ' || q.s || ']')
       OR regexp_matches(g.shapes, ', ' || q.s || ', \d+\], \[(\d+, )+\d+, ' || q.s || '\]')
)
SELECT t.rank::BIGINT AS rank, s.begin_ns::BIGINT AS begin_ns, (s.begin_ns + s.dur_ns)::BIGINT AS end_ns
FROM (
    SELECT track, begin_ns, dur_ns, signature FROM sel_ops WHERE NOT $device
    UNION ALL
    SELECT d.track, d.begin_ns, d.dur_ns, o.signature
    FROM sel_device d
    JOIN raw.ops o ON o.id = d.op_span
    WHERE $device AND d.kind = device_kind('kernel')
) s
JOIN raw.tracks t ON t.id = s.track
WHERE s.signature IN (SELECT id FROM scores)
