SELECT o.track, 'calls' AS part, o.id AS span, i.name, o.begin_ns, o.dur_ns
FROM sel_ops o
JOIN raw.op_identities i ON i.id = o.op
LEFT JOIN raw.layers l ON l.id = i.layer
WHERE $path = '' OR starts_with(l.path || '/', $path || '/')
ORDER BY o.begin_ns, o.dur_ns DESC, o.id
LIMIT 1
