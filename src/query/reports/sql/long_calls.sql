-- Calls of at least $long_ns within the time in which only the CPU is at work, by what they do. The class that holds
-- half of that time, with the call that takes most of it.
WITH s AS (
    FROM resource_time('cpu')
), a AS (
    SELECT t.rank, x.text AS name, a.begin_ns, a.begin_ns + a.dur_ns AS end_ns, a.dur_ns,
           CASE WHEN regexp_matches(x.text, '[Mm]alloc|Free|HostAlloc|MemAlloc|Host(Un)?[Rr]egister|'
                                            || 'Mem(Create|Map|Unmap|Release)') THEN 'memory'
                WHEN contains(x.text, 'Synchronize') THEN 'wait'
                WHEN regexp_matches(x.text, '[Mm]em(cpy|set)') AND NOT contains(x.text, 'Async') THEN 'wait'
                WHEN contains(x.text, 'Launch') THEN 'launch'
                ELSE 'other' END AS class
    FROM raw.api_calls a
    JOIN raw.tracks t ON t.id = a.track
    JOIN raw.strings x ON x.id = a.name
    WHERE a.dur_ns >= $long_ns
), calls AS (
    SELECT a.class, a.name, a.begin_ns, any_value(a.dur_ns) AS dur_ns,
           sum(least(s.end_ns, a.end_ns) - greatest(s.begin_ns, a.begin_ns))::BIGINT AS ns
    FROM a
    JOIN s ON s.rank = a.rank AND s.begin_ns < a.end_ns AND a.begin_ns < s.end_ns
    GROUP BY a.class, a.name, a.rank, a.begin_ns
), names AS (
    SELECT class, name, count(*) AS calls, sum(ns)::BIGINT AS ns, max(dur_ns) AS longest_ns, max(ns) AS most_ns
    FROM calls
    GROUP BY ALL
), classes AS (
    SELECT class, sum(ns)::BIGINT AS ns, max(most_ns) AS most_ns, arg_max(name, ns) AS name
    FROM names
    GROUP BY class
)
SELECT c.class, n.name, n.calls, n.ns, n.longest_ns, 2 * c.most_ns >= c.ns AS mostly_one, c.ns AS class_ns
FROM classes c
JOIN names n USING (class, name)
WHERE 2 * c.ns >= (SELECT sum(end_ns - begin_ns) FROM s)
ORDER BY c.ns DESC
LIMIT 1
