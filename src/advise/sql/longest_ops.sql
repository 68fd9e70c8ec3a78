-- Ops whose names match $pattern, those that others of them call left out: of one name, layer and line, as far as these
-- were recorded, the ones that take longest.
WITH named AS MATERIALIZED (
    SELECT id, name, layer FROM raw.op_identities WHERE regexp_matches(name, $pattern)
), found AS MATERIALIZED (
    SELECT o.id, o.parent_op, o.dur_ns, n.name, n.layer FROM sel_ops o JOIN named n ON n.id = o.op
)
SELECT f.name, coalesce(l.path, '') AS layer, split_part(coalesce(e.stack, ''), ';', 1) AS line,
       count(*)::BIGINT AS calls, sum(f.dur_ns)::BIGINT AS ns
FROM found f
LEFT JOIN raw.layers l ON l.id = f.layer
LEFT JOIN raw.op_extras e ON e.id = f.id
WHERE f.parent_op NOT IN (SELECT id FROM found)
GROUP BY ALL
ORDER BY ns DESC, f.name, layer, line
LIMIT 1
