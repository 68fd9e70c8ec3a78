-- Whether some range of the program's own, not an op's or a step's, took more than a tenth of the wall clock.
SELECT coalesce(max(ns), 0) > 0.1 * (SELECT sum(wall_ns) FROM sel_wall_sums)
FROM (
    SELECT x.text AS name, sum(a.dur_ns) AS ns
    FROM sel_annotations a
    JOIN raw.strings x ON x.id = a.name
    GROUP BY x.text
)
WHERE NOT starts_with(name, 'ProfilerStep') AND split_part(name, ',', 1) NOT IN (SELECT name FROM raw.op_identities)
