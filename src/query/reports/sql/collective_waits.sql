-- What the collectives of all ranks waited for; which rank makes most of it, without the first collective. No row
-- where the ranks do not match. Needs matched_collectives.
WITH lasts AS (
    SELECT last, count(*) AS times, sum(waiting_ns)::BIGINT AS waiting_ns
    FROM matched_collectives
    WHERE together AND NOT first
    GROUP BY last
    ORDER BY waiting_ns DESC, last
    LIMIT 1
), sums AS (
    SELECT sum(ns)::BIGINT AS ns, sum(waiting_ns)::BIGINT AS waiting_ns, count(*) AS collectives,
           coalesce(sum(waiting_ns) FILTER (WHERE first), 0)::BIGINT AS first_waiting_ns
    FROM matched_collectives
    WHERE together
    HAVING bool_and(matched)
)
SELECT s.ns, s.waiting_ns, s.collectives, r.number AS last_rank, m.times, m.waiting_ns AS last_waiting_ns,
       s.first_waiting_ns
FROM sums s
LEFT JOIN lasts m ON true
LEFT JOIN raw.ranks r ON r.id = m.last
