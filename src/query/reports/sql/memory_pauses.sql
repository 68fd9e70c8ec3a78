-- Pauses of the recording between the first and the last event of memory that are as long as one of the $points parts
-- of the picture: no part has points of before and after such a pause.
WITH times AS (
    SELECT min(time_ns) AS first_ns, max(time_ns) AS last_ns FROM memory_held
)
SELECT r.number, p.begin_ns, p.end_ns
FROM raw.recording_pauses p
JOIN raw.ranks r ON r.id = p.rank
JOIN times t ON p.begin_ns < t.last_ns AND p.end_ns > t.first_ns
                AND p.end_ns - p.begin_ns >= (t.last_ns - t.first_ns) // $points
ORDER BY r.number, p.begin_ns
