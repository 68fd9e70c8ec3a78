SELECT time_ns, value
FROM raw.counters
WHERE track = $track AND name = $name
ORDER BY time_ns, rowid
