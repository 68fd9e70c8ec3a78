-- The chosen iterations behind which the recording of a rank pauses.
WITH followed AS (
    SELECT rank, number, end_ns, lead(begin_ns) OVER (PARTITION BY rank ORDER BY begin_ns) AS next_ns
    FROM sel_iterations
)
SELECT DISTINCT f.number
FROM followed f
ASOF JOIN raw.recording_pauses p ON p.rank = f.rank AND f.end_ns <= p.begin_ns
WHERE p.end_ns <= f.next_ns
ORDER BY 1
