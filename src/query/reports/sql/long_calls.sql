-- Calls of at least $long_ns within the time in which only the CPU is at work and the device waits for it, $cpu_ns in
-- all, by what they do. The class that holds half of that time, with the call that takes most of it. Needs
-- within_resource.
WITH device_ends AS (
    SELECT t.rank, max(d.begin_ns + d.dur_ns) AS end_ns
    FROM raw.device_spans d
    JOIN raw.tracks t ON t.id = d.track
    GROUP BY t.rank
), sorts AS (
    SELECT id, text AS name,
           CASE WHEN regexp_matches(text, '[Mm]alloc|Free|(Host|Mem|USM\w+)Alloc|Host(Un)?[Rr]egister|'
                                          || 'Mem(Create|Map|Unmap|Release)') THEN 'memory'
                WHEN contains(text, 'Synchronize') OR is_wait_call(text) THEN 'wait'
                WHEN regexp_matches(text, '[Mm]em(cpy|set)') AND NOT regexp_matches(text, 'Async|Enqueue') THEN 'wait'
                WHEN contains(text, 'Launch') THEN 'launch'
                ELSE 'other' END AS class
    FROM raw.strings
    WHERE id IN (SELECT name FROM raw.api_calls WHERE dur_ns >= $long_ns)
), long AS (
    SELECT t.rank, a.name, a.begin_ns, a.begin_ns + a.dur_ns AS end_ns, a.dur_ns,
           coalesce(a.begin_ns >= d.end_ns, false) AS behind_all
    FROM raw.api_calls a
    JOIN raw.tracks t ON t.id = a.track
    LEFT JOIN device_ends d ON d.rank = t.rank
    WHERE a.dur_ns >= $long_ns
), calls AS (
    SELECT s.class, s.name, w.dur_ns, w.behind_all, w.within_ns AS ns
    FROM within_unqueued('long', 'cpu') w
    JOIN sorts s ON s.id = w.name
    WHERE w.within_ns > 0
), names AS (
    SELECT class, name, count(*) AS calls, sum(ns)::BIGINT AS ns, max(dur_ns) AS longest_ns, max(ns) AS most_ns,
           coalesce(sum(ns) FILTER (WHERE behind_all), 0)::BIGINT AS behind_ns
    FROM calls
    GROUP BY ALL
), classes AS (
    SELECT class, sum(ns)::BIGINT AS ns, max(most_ns) AS most_ns, arg_max(name, ns) AS name
    FROM names
    GROUP BY class
)
SELECT c.class, n.name, n.calls, n.ns, n.longest_ns, 2 * c.most_ns >= c.ns AS mostly_one, c.ns AS class_ns, n.behind_ns
FROM classes c
JOIN names n USING (class, name)
WHERE 2 * c.ns >= $cpu_ns
ORDER BY c.ns DESC
LIMIT 1
