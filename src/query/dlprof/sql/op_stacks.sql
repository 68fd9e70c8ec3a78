SELECT e.id::INTEGER AS id, d.place::INTEGER AS place
FROM raw.op_extras e
JOIN distinct_stacks d ON d.stack = e.stack
