-- The time of one resource within the wall clock, in segments that do not overlap.
CREATE OR REPLACE TEMP MACRO resource_time(name) AS TABLE
    SELECT g.rank, greatest(g.begin_ns, w.begin_ns) AS begin_ns, least(g.end_ns, w.end_ns) AS end_ns
    FROM raw.resource_segments g
    JOIN sel_wall w ON w.rank = g.rank AND g.begin_ns < w.end_ns AND w.begin_ns < g.end_ns
    WHERE g.resource = resource(name)
