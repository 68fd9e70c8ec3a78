SELECT id, begin_ns
FROM raw.module_calls
WHERE track = $track AND begin_ns <= $begin_ns AND begin_ns + dur_ns >= $begin_ns
ORDER BY begin_ns DESC
LIMIT 1
