WITH calls AS (
    SELECT x.text AS function, a.driver,
           count(DISTINCT a.track) AS threads,
           -- Not every source tells results.
           CASE WHEN count(*) FILTER (WHERE a.result >= 0) > 0 THEN count(*) FILTER (WHERE a.result > 0) END AS failed,
           call_stats(a.dur_ns) AS stats
    FROM sel_api a
    JOIN raw.strings x ON x.id = a.name
    WHERE NOT has_flag(a.flags, 'unfinished')
    GROUP BY ALL
)
SELECT c.*,
       CASE WHEN c.driver THEN 'driver' ELSE 'runtime' END AS api
FROM with_shares('calls') c
