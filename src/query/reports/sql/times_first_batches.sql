-- Loading of data in iterations that load for more than $times the median of their rank.
WITH loading AS (
    SELECT t.rank, i.number, s.begin_ns, s.begin_ns + s.dur_ns AS end_ns
    FROM raw.other_spans s
    JOIN raw.tracks t ON t.id = s.track
    JOIN sel_iteration_times i ON i.rank = t.rank AND s.begin_ns >= i.begin_ns AND s.begin_ns < i.end_ns
    WHERE s.kind = host_kind('data_load')
), sums AS (
    SELECT rank, number, sum(end_ns - begin_ns) AS ns FROM loading GROUP BY ALL
), typical AS (
    SELECT rank, median(ns) AS ns, count(*) AS iterations FROM sums GROUP BY rank
)
SELECT l.rank::BIGINT AS rank, l.begin_ns::BIGINT AS begin_ns, l.end_ns::BIGINT AS end_ns
FROM loading l
JOIN sums s ON s.rank = l.rank AND s.number = l.number
JOIN typical p ON p.rank = l.rank
WHERE p.iterations >= 5 AND s.ns > $times * p.ns AND l.end_ns - l.begin_ns > 1000000
ORDER BY 1, 2
