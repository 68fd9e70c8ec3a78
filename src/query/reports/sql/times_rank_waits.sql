-- When ranks wait within a collective on their device for the one that enters it last; with $first also in the first
-- collective.
-- Needs matched_collectives.
SELECT m.rank::BIGINT AS rank, m.begin_ns::BIGINT AS begin_ns, (m.begin_ns + m.waiting_ns)::BIGINT AS end_ns
FROM range_members m
JOIN range_calls c ON c.call = m.call AND ($first OR NOT c.first)
WHERE m.device_span >= 0 AND m.waiting_ns > 0
