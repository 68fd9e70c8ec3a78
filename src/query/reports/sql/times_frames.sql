-- When the Python function $name is open.
SELECT t.rank::BIGINT AS rank, f.begin_ns::BIGINT AS begin_ns, (f.begin_ns + f.dur_ns)::BIGINT AS end_ns
FROM raw.python_frames f
JOIN raw.strings x ON x.id = f.name AND x.text = $name
JOIN raw.tracks t ON t.id = f.track
