-- When any op is open. Those that others call lie within them.
SELECT t.rank::BIGINT AS rank, o.begin_ns::BIGINT AS begin_ns, (o.begin_ns + o.dur_ns)::BIGINT AS end_ns
FROM sel_ops o
JOIN raw.tracks t ON t.id = o.track
WHERE o.parent_op = -1
