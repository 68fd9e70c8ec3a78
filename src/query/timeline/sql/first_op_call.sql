SELECT o.track, 'calls' AS part, o.id AS span, i.name, o.begin_ns, o.dur_ns
FROM sel_ops o
JOIN raw.op_identities i ON i.id = o.op
WHERE o.op = $op
ORDER BY o.begin_ns, o.dur_ns DESC, o.id
LIMIT 1
