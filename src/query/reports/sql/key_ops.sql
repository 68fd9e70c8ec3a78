-- Ranges such as an optimizer's step end iterations too; one that is there once cannot.
WITH ops AS (
    SELECT i.name, 'op' AS kind, sum(s.calls)::BIGINT AS calls, count(DISTINCT s.rank) AS ranks,
           sum(s.cpu_ns)::BIGINT AS cpu_ns
    FROM raw.op_stats s
    JOIN raw.op_identities i ON i.id = s.op
    GROUP BY i.name
), ranges AS (
    SELECT x.text AS name, 'range' AS kind, count(*) AS calls, count(DISTINCT t.rank) AS ranks,
           sum(n.dur_ns)::BIGINT AS cpu_ns
    FROM raw.annotations n
    JOIN raw.strings x ON x.id = n.name
    JOIN raw.tracks t ON t.id = n.track
    GROUP BY x.text
    HAVING count(*) > count(DISTINCT t.rank)
), both_kinds AS (
    FROM ops
    UNION ALL
    SELECT * FROM ranges WHERE name NOT IN (SELECT name FROM ops)
)
SELECT name, kind, calls, ranks,
       calls / ranks AS calls_per_rank,
       cpu_ns AS total_cpu_time_ns,
       calls / ranks / nullif((SELECT max(number) + 1 FROM raw.iterations), 0) AS iterations_now
FROM both_kinds
