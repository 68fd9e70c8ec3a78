-- The chosen iterations by rank, and whether the recording paused before them; of a range without any, its wall clock.
SELECT i.rank::BIGINT AS rank, number::BIGINT AS number, i.begin_ns::BIGINT AS begin_ns, i.end_ns::BIGINT AS end_ns,
       coalesce(p.end_ns > lag(i.begin_ns) OVER (PARTITION BY i.rank ORDER BY i.begin_ns), false) AS resumes
FROM sel_iterations i
ASOF LEFT JOIN raw.recording_pauses p ON p.rank = i.rank AND p.end_ns <= i.begin_ns
WHERE NOT $whole
UNION ALL
SELECT rank, -1, begin_ns, end_ns, false
FROM sel_wall
WHERE $whole
ORDER BY rank, begin_ns, number
