SELECT d.track, CASE WHEN d.kind = device_kind('sync') THEN 'waits' ELSE 'stream' END AS part, d.place AS span, i.name,
       d.begin_ns, d.dur_ns
FROM sel_device d
JOIN raw.op_identities i ON i.id = d.op
WHERE d.op = $op
ORDER BY d.begin_ns, d.dur_ns DESC, d.place
LIMIT 1
