-- Calls of ranks as the report collective_members has them. Needs range_members.
CREATE OR REPLACE TEMP TABLE fact_iteration_collectives AS
SELECT r.number AS rank, (CASE WHEN $whole THEN -1 ELSE m.iteration END)::BIGINT AS iteration,
       coalesce(nullif(g.name, ''), nullif(g.ranks, '')) AS process_group, group_kind_name(g.kind) AS group_kind,
       coalesce(nullif(v.name, ''), k.label, c.name) AS collective, count(*) AS calls,
       count(*) FILTER (WHERE c.state = match_state('matched')) AS matched,
       CASE WHEN count(*) = count(nullif(c.bytes, -1)) THEN sum(c.bytes)::BIGINT END AS bytes,
       sum(m.dur_ns)::BIGINT AS total_ns,
       sum(m.waiting_ns) FILTER (WHERE m.waiting_ns >= 0)::BIGINT AS waiting_ns,
       sum(m.dur_ns - m.waiting_ns) FILTER (WHERE m.waiting_ns >= 0)::BIGINT AS transfer_ns,
       sum(nullif(m.exposed_ns, -1))::BIGINT AS exposed_ns
FROM range_members m
JOIN raw.collective_calls c ON c.id = m.call
JOIN raw.comm_groups g ON g.id = c.comm_group
JOIN raw.ranks r ON r.id = m.rank
LEFT JOIN raw.collectives v ON v.id = c.collective
LEFT JOIN raw.kernel_names k ON k.id = c.kernel
GROUP BY ALL
ORDER BY rank, iteration, collective
