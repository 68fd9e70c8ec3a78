SELECT id::INTEGER AS id, track::INTEGER AS track, name::INTEGER AS name, iteration::INTEGER AS iteration,
       begin_ns::BIGINT AS begin_ns, (begin_ns + dur_ns)::BIGINT AS end_ns
FROM raw.api_calls
ORDER BY id
