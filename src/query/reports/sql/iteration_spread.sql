-- Each iteration lasts until the next one begins, the last of a stretch until the host is done with it: what the device
-- still has to do then is all iterations' backlog.
-- The iterations of the rank whose longest one is the longest of all, and how many take more than $times the median.
-- And the two groups that the widest step from one length to the next longer one parts, where the step is wider than
-- the middle nine tenths of either: of a fifth of the iterations and of two at least each, or of four long ones with a
-- fifth of the time.
WITH followed AS (
    SELECT *, coalesce(lead(begin_ns) OVER (PARTITION BY rank ORDER BY begin_ns) = end_ns, false) AS goes_on
    FROM sel_iteration_times
), times AS (
    SELECT rank, number, CASE WHEN goes_on THEN end_ns ELSE own_end_ns END - begin_ns AS ns,
           own_end_ns - begin_ns AS own_ns
    FROM followed
    WHERE NOT warmup
), chosen AS (
    SELECT rank, median(ns)::BIGINT AS median_ns FROM times GROUP BY rank ORDER BY max(ns) DESC, rank LIMIT 1
), known AS MATERIALIZED (
    SELECT ns FROM times WHERE rank = (SELECT rank FROM chosen) AND ns > 0
), placed AS (
    SELECT ns, row_number() OVER (ORDER BY ns) AS place, (SELECT count(*) FROM known) AS n,
           lag(ns) OVER (ORDER BY ns) AS before_ns, (SELECT sum(ns) FROM known) AS all_ns,
           sum(ns) OVER (ORDER BY ns ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS long_ns
    FROM known
), step AS (
    SELECT place, ns / before_ns AS wide
    FROM placed
    WHERE least(place - 1, n - place + 1) >= greatest(2, n / 5.0)
        OR (place > n / 2.0 AND n - place + 1 >= 4 AND long_ns >= all_ns / 5)
    ORDER BY wide DESC, place
    LIMIT 1
), parted AS (
    SELECT s.wide, count(*) FILTER (WHERE p.place < s.place) AS short_ones,
           min(p.ns) AS short_min, max(p.ns) FILTER (WHERE p.place < s.place) AS short_max,
           count(*) FILTER (WHERE p.place >= s.place) AS long_ones,
           min(p.ns) FILTER (WHERE p.place >= s.place) AS long_min, max(p.ns) AS long_max,
           quantile_cont(p.ns, [0.05, 0.95]) FILTER (WHERE p.place < s.place) AS short_most,
           quantile_cont(p.ns, [0.05, 0.95]) FILTER (WHERE p.place >= s.place) AS long_most
    FROM placed p, step s
    GROUP BY s.wide
), groups AS (
    FROM parted WHERE wide > short_most[2] / short_most[1] AND wide > long_most[2] / long_most[1]
), spread AS (
    SELECT count(*) AS iterations, any_value(c.median_ns) AS median_ns, max(t.ns) AS longest_ns,
           arg_max(t.number, t.ns) AS longest, any_value(r.number) AS rank,
           count(*) FILTER (WHERE t.ns > $times * c.median_ns) AS long_ones, arg_max(t.own_ns, t.ns) AS longest_own_ns,
           median(t.own_ns)::BIGINT AS median_own_ns
    FROM times t
    JOIN chosen c ON c.rank = t.rank
    LEFT JOIN raw.ranks r ON r.id = t.rank
)
SELECT s.iterations, s.median_ns, s.longest_ns, s.longest, s.rank, s.long_ones, s.longest_own_ns, s.median_own_ns,
       g.wide, g.short_ones, g.short_min, g.short_max, g.long_ones, g.long_min, g.long_max
FROM spread s
LEFT JOIN groups g ON true
