-- What the wall clock of the range went to, in segments of a rank that do not overlap.
CREATE TEMP VIEW wall_segments AS
SELECT g.rank, g.resource, greatest(g.begin_ns, w.begin_ns) AS begin_ns, least(g.end_ns, w.end_ns) AS end_ns
FROM raw.resource_segments g
JOIN sel_wall w ON w.rank = g.rank AND g.begin_ns < w.end_ns AND w.begin_ns < g.end_ns;

CREATE TEMP VIEW resource_times AS
SELECT resource, sum(end_ns - begin_ns) AS ns
FROM wall_segments
GROUP BY resource;

CREATE OR REPLACE TEMP MACRO resource_time(name) AS TABLE
    SELECT rank, begin_ns, end_ns FROM wall_segments WHERE resource = resource(name)
