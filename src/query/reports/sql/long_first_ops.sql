-- Where no calls of the device's API were recorded: the first op of its name that launches work, and takes $long_ns and
-- ten times what any later one takes, within the time in which only the CPU is at work. The three longest of each rank,
-- where they hold half of that time, $cpu_ns. Needs within_resource.
WITH launching AS (
    SELECT DISTINCT op_span AS id FROM raw.device_spans WHERE op_span >= 0
), each AS (
    SELECT o.id, t.rank, i.name, o.begin_ns, o.begin_ns + o.dur_ns AS end_ns, o.dur_ns,
           row_number() OVER (PARTITION BY t.rank, i.name ORDER BY o.begin_ns, o.id) AS nth,
           max(o.dur_ns) OVER (PARTITION BY t.rank, i.name ORDER BY o.begin_ns, o.id
                               ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS later_ns
    FROM raw.ops o
    JOIN raw.op_identities i ON i.id = o.op
    JOIN raw.tracks t ON t.id = o.track
), long AS (
    SELECT e.rank, e.name, e.begin_ns, e.end_ns, e.dur_ns
    FROM each e
    SEMI JOIN launching l ON l.id = e.id
    WHERE e.nth = 1 AND e.dur_ns >= $long_ns AND 10 * coalesce(e.later_ns, 0) <= e.dur_ns
    QUALIFY row_number() OVER (PARTITION BY e.rank ORDER BY e.dur_ns DESC, e.id) <= 3
), within AS (
    SELECT name, dur_ns, within_ns AS ns FROM within_resource('long', 'cpu') WHERE within_ns > 0
)
SELECT arg_max(name, ns) AS name, max(ns)::BIGINT AS ns, arg_max(dur_ns, ns) AS longest_ns,
       2 * max(ns) >= sum(ns) AS mostly_one, sum(ns)::BIGINT AS class_ns
FROM within
HAVING 2 * sum(ns) >= $cpu_ns
