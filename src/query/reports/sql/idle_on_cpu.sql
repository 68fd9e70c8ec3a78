-- How much of the time in which nothing recorded runs a thread was on a CPU, as recorded switches of context tell;
-- nothing where none were recorded. Threads that run beside each other count once.
WITH stretches AS (
    SELECT t.rank, s.begin_ns, s.begin_ns + s.dur_ns AS end_ns,
           max(s.begin_ns + s.dur_ns) OVER (PARTITION BY t.rank ORDER BY s.begin_ns, s.dur_ns DESC
                                            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS on_cpu_until
    FROM raw.other_spans s
    JOIN raw.strings y ON y.id = s.category AND y.text = 'cpu_scheduling'
    JOIN raw.tracks t ON t.id = s.track
), apart AS (
    SELECT rank, greatest(begin_ns, coalesce(on_cpu_until, begin_ns)) AS begin_ns, end_ns
    FROM stretches
    WHERE on_cpu_until IS NULL OR on_cpu_until < end_ns
)
SELECT sum(within_ns)::BIGINT AS ns
FROM within_resource('apart', 'idle')
