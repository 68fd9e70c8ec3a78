-- Of a source that tells sums over the calls of an API and no single call (import/nvprof/printed_sums.cpp): all their
-- time, and the function with most of it.
WITH sums AS (
    SELECT t.pid_text AS function,
           sum(c.value) FILTER (WHERE x.text = 'total [ns]') AS ns,
           sum(c.value) FILTER (WHERE x.text = 'calls') AS calls,
           max(c.value) FILTER (WHERE x.text = 'longest [ns]') AS longest_ns
    FROM raw.counters c
    JOIN raw.tracks t ON t.id = c.track
    JOIN raw.strings x ON x.id = c.name
    WHERE t.tid_text = 'API calls'
    GROUP BY 1
)
SELECT (SELECT sum(ns) FROM sums)::BIGINT AS all_ns, function, ns::BIGINT AS ns, calls::BIGINT AS calls,
       longest_ns::BIGINT AS longest_ns
FROM sums
WHERE ns IS NOT NULL
ORDER BY sums.ns DESC, function
LIMIT 1
