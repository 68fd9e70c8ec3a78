-- Stretches between switches of context with the thread on a CPU, as far as they lie in the chosen time. Of the whole
-- run that is what the recorded switches cover: threads that started late were not on a CPU before.
WITH s AS (
    SELECT s.track, t.rank, s.begin_ns, s.begin_ns + s.dur_ns AS end_ns, s.name
    FROM raw.other_spans s
    JOIN raw.strings y ON y.id = s.category AND y.text = 'cpu_scheduling'
    JOIN raw.tracks t ON t.id = s.track
), pieces AS (
    SELECT rank, begin_ns, end_ns FROM sel_wall WHERE NOT $whole
    UNION ALL
    SELECT r.rank, c.begin_ns, c.end_ns
    FROM (SELECT DISTINCT rank FROM s) r, (SELECT min(begin_ns) AS begin_ns, max(end_ns) AS end_ns FROM s) c
    WHERE $whole
), chosen AS (
    SELECT rank, sum(end_ns - begin_ns)::BIGINT AS ns FROM pieces GROUP BY rank
), stretches AS (
    SELECT s.track, s.begin_ns, s.name, sum(least(s.end_ns, p.end_ns) - greatest(s.begin_ns, p.begin_ns))::BIGINT AS ns
    FROM s
    JOIN pieces p ON p.rank = s.rank AND s.begin_ns < p.end_ns AND p.begin_ns < s.end_ns
    GROUP BY ALL
), threads AS (
    SELECT track, count(*) AS stretches, sum(ns)::BIGINT AS on_cpu_ns, round(avg(ns))::BIGINT AS avg_ns,
           max(ns) AS max_ns, count(DISTINCT name) AS cpus
    FROM stretches
    GROUP BY track
)
SELECT r.number AS rank, t.pid_text AS process, replace(t.tid_text, 'CPU of thread ', '') AS thread, c.on_cpu_ns,
       100.0 * c.on_cpu_ns / nullif(n.ns, 0) AS on_cpu_pct, c.stretches, c.avg_ns, c.max_ns, c.cpus
FROM threads c
JOIN raw.tracks t ON t.id = c.track
JOIN chosen n ON n.rank = t.rank
LEFT JOIN raw.ranks r ON r.id = t.rank
