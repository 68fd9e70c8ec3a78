-- Graphs of the device's work that were recorded as one piece, and by whom.
SELECT count(*) AS graphs, (SELECT coalesce(max(value), '') FROM raw.meta WHERE key = 'producer') AS producer
FROM sel_device
WHERE kind = device_kind('graph')
