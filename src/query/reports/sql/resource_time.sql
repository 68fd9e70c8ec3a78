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
    SELECT rank, begin_ns, end_ns FROM wall_segments WHERE resource = resource(name);

-- within_segments(relation, segments, name): the rows of a relation with `rank`, `begin_ns` and `end_ns`, and how much
-- of the resource's time in these segments each holds, `within_ns`: the time until its end less that until its begin.
CREATE OR REPLACE TEMP MACRO within_segments(relation, segments, name) AS TABLE
    WITH clock AS MATERIALIZED (
        SELECT rank, begin_ns, end_ns,
               sum(end_ns - begin_ns) OVER (PARTITION BY rank ORDER BY begin_ns) - (end_ns - begin_ns) AS before_ns
        FROM query_table(segments)
        -- What begins after the last of these rows lies in none: of no rows no segment is looked at.
        WHERE resource = resource(name) AND begin_ns <= (SELECT max(end_ns) FROM query_table(relation))
    )
    SELECT a.*,
           (coalesce(e.before_ns + least(a.end_ns, e.end_ns) - e.begin_ns, 0)
            - coalesce(b.before_ns + least(a.begin_ns, b.end_ns) - b.begin_ns, 0))::BIGINT AS within_ns
    FROM query_table(relation) a
    ASOF LEFT JOIN clock b ON b.rank = a.rank AND a.begin_ns >= b.begin_ns
    ASOF LEFT JOIN clock e ON e.rank = a.rank AND a.end_ns >= e.begin_ns;

CREATE OR REPLACE TEMP MACRO within_resource(relation, name) AS TABLE
    FROM within_segments(relation, 'wall_segments', name)
