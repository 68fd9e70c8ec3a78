-- The chosen iterations by rank; of a range without any, its wall clock. Nothing where the source does not tell when
-- work ran.
SELECT rank::BIGINT AS rank, number::BIGINT AS number, begin_ns::BIGINT AS begin_ns, end_ns::BIGINT AS end_ns
FROM sel_iterations
WHERE NOT $whole AND NOT EXISTS (FROM raw.meta WHERE key = 'property.source.times')
UNION ALL
SELECT rank, -1, min(begin_ns), max(end_ns)
FROM sel_wall
WHERE $whole AND NOT EXISTS (FROM raw.meta WHERE key = 'property.source.times')
GROUP BY rank
ORDER BY rank, begin_ns, number
