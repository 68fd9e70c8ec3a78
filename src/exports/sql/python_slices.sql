SELECT s.track, s.begin_ns, s.dur_ns, 0 AS kind, s.name AS "@string"
FROM raw.python_frames s
