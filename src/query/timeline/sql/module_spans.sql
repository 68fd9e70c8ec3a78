SELECT track, begin_ns, dur_ns, id::INTEGER AS ref, name::INTEGER AS name, 0::INTEGER AS kind
FROM raw.module_calls
WHERE track BETWEEN $first::INTEGER AND $last::INTEGER
