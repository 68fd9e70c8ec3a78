SELECT track, begin_ns, dur_ns, id::INTEGER AS ref, name::INTEGER AS name, driver::INTEGER AS kind
FROM raw.api_calls
WHERE track BETWEEN $first::INTEGER AND $last::INTEGER
