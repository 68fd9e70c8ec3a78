-- The chosen iterations by rank; of a range without any, its wall clock.
SELECT rank::BIGINT AS rank, number::BIGINT AS number, begin_ns::BIGINT AS begin_ns, end_ns::BIGINT AS end_ns
FROM sel_iterations
WHERE NOT $whole
UNION ALL
SELECT rank, -1, min(begin_ns), max(end_ns)
FROM sel_wall
WHERE $whole
GROUP BY rank
ORDER BY rank, begin_ns, number
