SELECT count(*) AS spans
FROM raw.device_spans
WHERE kind NOT IN (device_kind('annotation'), device_kind('sync'))
  AND launch BETWEEN $first AND $last
