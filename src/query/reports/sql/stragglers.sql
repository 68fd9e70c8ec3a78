-- Who others waited for, by rank, or with $by_host by host. In each iteration the one that makes most of the waiting is
-- its last: persistent is who is that in most iterations, wandering in some. Of less than three iterations neither can
-- be told. Needs scored_times.
WITH subjects AS (
    SELECT CASE WHEN NOT $by_host THEN rank END AS rank, host, iteration, sum(caused_ns)::BIGINT AS caused_ns,
           median(score) AS score
    FROM scored_times
    WHERE NOT $by_host OR host IS NOT NULL
    GROUP BY ALL
), ordered AS (
    SELECT *, caused_ns > 0 AND row_number() OVER (PARTITION BY iteration ORDER BY caused_ns DESC, rank, host) = 1
                  AS is_last
    FROM subjects
), sums AS MATERIALIZED (
    SELECT rank, host, median(score) AS score, count(*) FILTER (WHERE iteration >= 0) AS iterations,
           count(*) FILTER (WHERE is_last) AS iterations_last, sum(caused_ns)::BIGINT AS caused_ns
    FROM ordered
    GROUP BY ALL
), reasons AS (
    SELECT CASE WHEN NOT $by_host THEN r.number END AS rank, nullif(r.host, '') AS host, c.cause, c.cause_op,
           sum(c.waiting_ns) AS waiting_ns, sum(c.cause_ns)::BIGINT AS cause_ns
    FROM range_members m
    JOIN raw.collective_calls c ON c.id = m.call AND c.last_rank = m.rank AND c.cause >= 0
    JOIN range_calls q ON q.call = m.call AND NOT q.first
    JOIN raw.ranks r ON r.id = m.rank
    GROUP BY ALL
), reason AS (
    SELECT * FROM reasons
    QUALIFY row_number() OVER (PARTITION BY rank, host ORDER BY waiting_ns DESC, cause, cause_op) = 1
)
SELECT s.rank, s.host,
       CASE WHEN s.iterations < 3 OR s.caused_ns IS NULL THEN NULL
            WHEN 2 * s.iterations_last > s.iterations THEN 'persistent'
            WHEN s.iterations_last > 0 THEN 'wandering'
            ELSE 'none' END AS pattern,
       s.score, s.iterations,
       CASE WHEN s.caused_ns IS NOT NULL THEN s.iterations_last END AS iterations_last, s.caused_ns,
       100.0 * s.caused_ns / nullif((SELECT sum(caused_ns) FROM sums), 0) AS caused_pct,
       cause_name(q.cause) AS cause, q.cause_ns, o.name AS cause_op, l.path AS cause_layer
FROM sums s
LEFT JOIN reason q ON q.rank IS NOT DISTINCT FROM s.rank AND q.host IS NOT DISTINCT FROM s.host
LEFT JOIN raw.op_identities o ON o.id = q.cause_op
LEFT JOIN raw.layers l ON l.id = o.layer
