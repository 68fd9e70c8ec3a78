-- The wall clock of the range.
SELECT rank::BIGINT AS rank, begin_ns::BIGINT AS begin_ns, end_ns::BIGINT AS end_ns
FROM sel_wall
ORDER BY 1, 2
