-- Waits for data of more than $times the median wait of their rank. Each by itself: an iteration that holds an
-- evaluation waits more often, and for none of its batches longer.
WITH loading AS (
    SELECT t.rank, i.number, s.begin_ns, s.begin_ns + s.dur_ns AS end_ns, s.dur_ns
    FROM raw.other_spans s
    JOIN raw.tracks t ON t.id = s.track
    JOIN sel_iteration_times i ON i.rank = t.rank AND s.begin_ns >= i.begin_ns AND s.begin_ns < i.end_ns
    WHERE s.kind = host_kind('data_load')
), typical AS (
    SELECT rank, median(dur_ns) AS ns, count(DISTINCT number) AS iterations FROM loading GROUP BY rank
)
SELECT l.rank::BIGINT AS rank, l.begin_ns::BIGINT AS begin_ns, l.end_ns::BIGINT AS end_ns
FROM loading l
JOIN typical p ON p.rank = l.rank
WHERE p.iterations >= 5 AND l.dur_ns > $times * p.ns AND l.dur_ns > 1000000
