-- The critical path across ranks: between the ends of two collectives that all ranks of the job take part in, nobody
-- can be done before the rank that comes last to the second: the path is that rank's work, and then the transfer.
-- $ranks: of the job. Needs matched_collectives.
WITH joint AS (
    SELECT c.last_rank, c.last_begin_ns, c.end_ns,
           max(c.end_ns) OVER (ORDER BY c.end_ns, c.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns
    FROM raw.collective_calls c
    JOIN range_calls q ON q.call = c.id
    WHERE c.state = match_state('matched') AND c.members = $ranks
), pieces AS MATERIALIZED (
    SELECT last_rank, greatest(last_begin_ns - before_ns, 0) AS work_ns,
           end_ns - greatest(last_begin_ns, before_ns) AS transfer_ns
    FROM joint
    WHERE before_ns IS NOT NULL
)
SELECT r.number AS rank, nullif(r.host, '') AS host, count(*) AS stretches, sum(p.work_ns)::BIGINT AS work_ns,
       sum(p.transfer_ns)::BIGINT AS transfer_ns, sum(p.work_ns + p.transfer_ns)::BIGINT AS path_ns,
       100.0 * sum(p.work_ns + p.transfer_ns)
           / nullif((SELECT sum(work_ns + transfer_ns) FROM pieces), 0) AS path_pct
FROM pieces p
JOIN raw.ranks r ON r.id = p.last_rank
GROUP BY r.number, r.host
