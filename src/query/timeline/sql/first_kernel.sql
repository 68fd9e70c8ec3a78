-- $op is NULL where it may be of any op.
SELECT d.track, 'stream' AS part, d.place AS span, k.label AS name, d.begin_ns, d.dur_ns
FROM sel_device d
JOIN raw.kernel_names k ON k.id = d.name
WHERE d.kind = device_kind('kernel')
  AND (k.label = $kernel OR k.name = $kernel)
  AND ($op IS NULL OR d.op = $op)
ORDER BY d.begin_ns, d.dur_ns DESC, d.place
LIMIT 1
