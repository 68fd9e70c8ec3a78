SELECT m.track, 'calls' AS part, m.id AS span, x.text AS name, m.begin_ns, m.dur_ns
FROM sel_modules m
JOIN raw.layers l ON l.id = m.layer
LEFT JOIN raw.strings x ON x.id = m.name
WHERE l.path = $path
ORDER BY m.begin_ns, m.dur_ns DESC, m.id
LIMIT 1
