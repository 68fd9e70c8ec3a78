SELECT track, begin_ns, dur_ns, rowid::INTEGER AS ref, name::INTEGER AS name, 0::INTEGER AS kind
FROM raw.python_frames
WHERE track BETWEEN $first::INTEGER AND $last::INTEGER
