SELECT min(id) AS first, max(id) AS last
FROM raw.api_calls
WHERE track = $track AND begin_ns >= $begin_ns AND begin_ns < $end_ns
