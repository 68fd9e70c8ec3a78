SELECT track, begin_ns, dur_ns, id::INTEGER AS ref, op::INTEGER AS name, 0::INTEGER AS kind
FROM raw.ops
WHERE track BETWEEN $first::INTEGER AND $last::INTEGER
