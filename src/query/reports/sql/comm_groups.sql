-- Process groups with what they cost in the range. Needs matched_collectives.
WITH calls AS (
    SELECT c.comm_group, c.last_rank, c.bytes, c.state, q.*
    FROM raw.collective_calls c
    JOIN range_calls q ON q.call = c.id
), lasts AS (
    SELECT comm_group, last_rank, count(*) AS times, sum(waiting_ns)::BIGINT AS waiting_ns
    FROM calls
    WHERE state = match_state('matched') AND NOT first
    GROUP BY ALL
), most AS (
    SELECT comm_group, arg_max(last_rank, (waiting_ns, -last_rank)) AS last,
           arg_max(times, (waiting_ns, -last_rank)) AS times, max(waiting_ns) AS waiting_ns
    FROM lasts
    GROUP BY comm_group
), sums AS (
    SELECT comm_group, count(*) AS collectives, count(*) FILTER (WHERE state = match_state('matched')) AS matched,
           sum(nullif(bytes, -1))::BIGINT AS bytes, sum(ns)::BIGINT AS ns,
           sum(ns) FILTER (WHERE state = match_state('matched')) AS matched_ns,
           (sum(waiting_ns) FILTER (WHERE state = match_state('matched')))::BIGINT AS waiting_ns,
           sum(exposed_ns)::BIGINT AS exposed_ns
    FROM calls
    GROUP BY comm_group
)
SELECT coalesce(nullif(g.name, ''), nullif(g.ranks, ''), 'not told: ' || g.collective) AS "group",
       nullif(g.ranks, '') AS group_ranks, nullif(g.description, '') AS description, group_kind_name(g.kind) AS kind,
       g.evidence, nullif(g.size, -1) AS ranks, g.recorded, s.collectives, s.matched,
       s.collectives - s.matched AS unmatched, s.bytes, s.ns AS total_time_ns, s.waiting_ns,
       100.0 * s.waiting_ns / nullif(s.matched_ns, 0) AS waiting_pct, s.exposed_ns,
       100.0 * s.exposed_ns / nullif(s.ns, 0) AS exposed_pct, r.number AS last_rank, m.times AS last_times,
       m.waiting_ns AS last_waiting_ns, nullif(g.link, '') AS link, nullif(g.link_bytes_per_s, 0) AS peak_bytes_per_s
FROM sums s
JOIN raw.comm_groups g ON g.id = s.comm_group
LEFT JOIN most m ON m.comm_group = s.comm_group
LEFT JOIN raw.ranks r ON r.id = m.last
