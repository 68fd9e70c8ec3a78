-- Each rank's iterations: rank_shares (rank, iteration, begin_ns, duration_ns, and exclusive classes of its time) is
-- there; with what the rank waited for in collectives, and what others waited for it. Of the waiting only that counts
-- which no computing hides, and of what others waited not the first collective. Needs matched_collectives. `whole`: one
-- stretch for each rank, whatever the iteration.
CREATE OR REPLACE TEMP VIEW rank_times AS
WITH own AS (
    SELECT r.number AS rank, CASE WHEN $whole THEN -1 ELSE m.iteration END AS iteration,
           sum(nullif(m.exposed_waiting_ns, -1))::BIGINT AS waiting_ns,
           sum(m.dur_ns - m.waiting_ns) FILTER (WHERE m.waiting_ns >= 0)::BIGINT AS transfer_ns,
           count(*) FILTER (WHERE m.waiting_ns >= 0) AS matched
    FROM range_members m
    JOIN raw.ranks r ON r.id = m.rank
    GROUP BY ALL
), caused AS (
    SELECT r.number AS rank, CASE WHEN $whole THEN -1 ELSE m.iteration END AS iteration,
           count(*) AS times_last, sum(c.waiting_ns)::BIGINT AS caused_ns
    FROM range_members m
    JOIN raw.collective_calls c ON c.id = m.call AND c.last_rank = m.rank
    JOIN range_calls q ON q.call = m.call AND NOT q.first
    JOIN raw.ranks r ON r.id = m.rank
    GROUP BY ALL
)
SELECT s.*, nullif(i.host, '') AS host, o.waiting_ns, o.transfer_ns,
       CASE WHEN o.matched > 0 THEN greatest(s.duration_ns - o.waiting_ns, 0) END AS own_ns,
       CASE WHEN o.matched > 0 THEN coalesce(c.times_last, 0) END AS times_last,
       CASE WHEN o.matched > 0 THEN coalesce(c.caused_ns, 0) END AS caused_ns
FROM rank_shares s
JOIN raw.ranks i ON i.number = s.rank
LEFT JOIN own o ON o.rank = s.rank AND o.iteration = s.iteration
LEFT JOIN caused c ON c.rank = s.rank AND c.iteration = s.iteration;

CREATE OR REPLACE TEMP VIEW scored_times AS
SELECT *, own_ns / nullif(median(own_ns) OVER (PARTITION BY iteration), 0) AS score,
       own_ns / nullif(median(own_ns) OVER (PARTITION BY rank ORDER BY iteration ROWS BETWEEN UNBOUNDED PRECEDING
                                            AND 1 PRECEDING), 0) AS own_score
FROM rank_times
