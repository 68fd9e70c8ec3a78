-- The calls of the system that were recorded, by name.
SELECT DISTINCT x.text AS name
FROM raw.other_spans s
JOIN raw.strings x ON x.id = s.name
WHERE s.kind = host_kind('os_runtime')
