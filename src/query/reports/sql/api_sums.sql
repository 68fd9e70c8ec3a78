WITH calls AS (
    SELECT x.text AS function, a.driver, rank_group(t.rank, $ranks_by) AS rank_id,
           count(DISTINCT a.track) AS threads,
           -- Not every source tells results.
           CASE WHEN count(*) FILTER (WHERE a.result >= 0) > 0 THEN count(*) FILTER (WHERE a.result > 0) END AS failed,
           call_stats(a.dur_ns) AS stats
    FROM sel_api a
    JOIN raw.tracks t ON t.id = a.track
    JOIN raw.strings x ON x.id = a.name
    WHERE NOT has_flag(a.flags, 'unfinished')
    GROUP BY ALL
)
SELECT c.*, r.number AS rank, nullif(r.host, '') AS host,
       CASE WHEN c.driver THEN 'driver' ELSE 'runtime' END AS api
FROM with_shares('calls') c
LEFT JOIN raw.ranks r ON r.id = c.rank_id
