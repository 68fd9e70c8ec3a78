-- When the first host span of each rank begins.
WITH begins AS (
    SELECT track, min(begin_ns) AS begin_ns FROM raw.ops GROUP BY track
    UNION ALL
    SELECT track, min(begin_ns) FROM raw.api_calls GROUP BY track
    UNION ALL
    SELECT track, min(begin_ns) FROM raw.python_frames GROUP BY track
    UNION ALL
    SELECT track, min(begin_ns) FROM raw.module_calls GROUP BY track
    UNION ALL
    SELECT track, min(begin_ns) FROM raw.annotations GROUP BY track
    UNION ALL
    SELECT track, min(begin_ns) FROM raw.other_spans GROUP BY track
)
SELECT t.rank, min(b.begin_ns) AS begin_ns
FROM begins b
JOIN raw.tracks t ON t.id = b.track
WHERE t.kind <> track_kind('other')
GROUP BY t.rank
ORDER BY t.rank
