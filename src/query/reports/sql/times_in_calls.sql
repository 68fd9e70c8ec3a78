-- When any call of the runtime or driver is open.
SELECT t.rank::BIGINT AS rank, a.begin_ns::BIGINT AS begin_ns, (a.begin_ns + a.dur_ns)::BIGINT AS end_ns
FROM sel_api a
JOIN raw.tracks t ON t.id = a.track
