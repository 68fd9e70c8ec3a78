SELECT rowid, track, begin_ns
FROM raw.device_spans
WHERE kind NOT IN (device_kind('annotation'), device_kind('sync'))
  AND launch BETWEEN $first AND $last
ORDER BY begin_ns
LIMIT $most
