-- What of wall_with_pauses was recorded: without the pauses of recordings. Neither its stretches nor the pauses of a
-- rank overlap.
CREATE TEMP TABLE sel_wall AS
WITH starts AS (
    FROM wall_with_pauses
    UNION ALL
    SELECT w.rank, p.end_ns, w.end_ns
    FROM raw.recording_pauses p
    ASOF JOIN wall_with_pauses w ON w.rank = p.rank AND p.end_ns > w.begin_ns
    WHERE p.end_ns < w.end_ns
), ends AS (
    SELECT s.rank, s.begin_ns, least(s.end_ns, coalesce(p.begin_ns, s.end_ns)) AS end_ns, p.rank IS NULL AS last
    FROM starts s
    ASOF LEFT JOIN raw.recording_pauses p ON p.rank = s.rank AND s.begin_ns < p.end_ns
)
SELECT rank, begin_ns, end_ns FROM ends WHERE end_ns > begin_ns OR last
