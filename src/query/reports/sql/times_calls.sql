-- When calls of the runtime or driver whose names match $pattern are open.
SELECT t.rank::BIGINT AS rank, a.begin_ns::BIGINT AS begin_ns, (a.begin_ns + a.dur_ns)::BIGINT AS end_ns
FROM sel_api a
JOIN raw.tracks t ON t.id = a.track
JOIN raw.strings x ON x.id = a.name
WHERE regexp_matches(x.text, $pattern)
