-- Times are those in which the iterations add up to the wall clock, so that the average lies among them. The average
-- is of the rank that took longest.
WITH times AS (
    SELECT rank, end_ns - begin_ns AS dur_ns, warmup FROM sel_iteration_times
), walls AS (
    SELECT sum(dur_ns) AS wall_ns, count(*) AS iterations FROM times GROUP BY rank
)
SELECT (SELECT round(arg_max(wall_ns / iterations, wall_ns))::BIGINT FROM walls) AS of_longest_ns,
       round(avg(dur_ns))::BIGINT AS mean_ns,
       min(dur_ns) AS min_ns,
       round(quantile_cont(dur_ns, 0.5))::BIGINT AS median_ns,
       round(quantile_cont(dur_ns, 0.95))::BIGINT AS p95_ns,
       max(dur_ns) AS max_ns,
       round(stddev_samp(dur_ns))::BIGINT AS stddev_ns,
       count(*) FILTER (WHERE warmup) AS warmup,
       count(*) AS iterations
FROM times
