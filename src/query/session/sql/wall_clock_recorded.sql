-- What of wall_with_pauses was recorded: without the pauses of recordings.
CREATE TEMP TABLE sel_wall AS
WITH starts AS (
    FROM wall_with_pauses
    UNION ALL
    SELECT w.rank, p.end_ns, w.end_ns
    FROM wall_with_pauses w
    JOIN raw.recording_pauses p ON p.rank = w.rank AND p.end_ns > w.begin_ns AND p.end_ns < w.end_ns
), ends AS (
    SELECT s.rank, s.begin_ns, least(s.end_ns, coalesce(min(p.begin_ns), s.end_ns)) AS end_ns, count(p.rank) AS pauses
    FROM starts s
    LEFT JOIN raw.recording_pauses p ON p.rank = s.rank AND p.end_ns > s.begin_ns
    GROUP BY s.rank, s.begin_ns, s.end_ns
)
SELECT rank, begin_ns, end_ns FROM ends WHERE end_ns > begin_ns OR pauses = 0
