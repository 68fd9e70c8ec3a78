-- Each operation of communication of the range. Needs matched_collectives and exchange_kind.
WITH rates AS (
    SELECT c.id AS call, 1e9 * nullif(c.bytes, -1) / nullif(nullif(c.transfer_ns, -1), 0) AS bytes_per_s,
           bytes_per_s * bus_factor(coalesce(nullif(v.name, ''), c.name), c.ranks) AS bus_bytes_per_s
    FROM raw.collective_calls c
    LEFT JOIN raw.collectives v ON v.id = c.collective
)
SELECT c.id AS call, coalesce(nullif(g.name, ''), nullif(g.ranks, '')) AS "group",
       coalesce(nullif(v.name, ''), k.label, c.name) AS collective,
       exchange_kind(v.name, coalesce(k.label, c.name)) AS exchange, nullif(v.dtype, '') AS dtype,
       nullif(c.bytes, -1) AS bytes, nullif(c.ranks, -1) AS ranks, c.members::BIGINT AS members,
       match_state_name(c.state) AS state, nullif(q.iteration, -1)::BIGINT AS iteration,
       c.first_begin_ns, c.last_begin_ns, c.end_ns, c.end_ns - c.first_begin_ns AS duration_ns,
       nullif(c.transfer_ns, -1) AS transfer_ns, nullif(c.waiting_ns, -1) AS waiting_ns,
       r.number AS last_rank, nullif(r.host, '') AS last_host, cause_name(c.cause) AS cause,
       CASE WHEN c.cause >= 0 THEN c.cause_ns END AS cause_ns, o.name AS cause_op, l.path AS cause_layer,
       s.bytes_per_s, s.bus_bytes_per_s, nullif(g.link_bytes_per_s, 0) AS peak_bytes_per_s,
       100.0 * s.bus_bytes_per_s / nullif(g.link_bytes_per_s, 0) AS peak_pct
FROM raw.collective_calls c
JOIN range_calls q ON q.call = c.id
JOIN rates s ON s.call = c.id
JOIN raw.comm_groups g ON g.id = c.comm_group
LEFT JOIN raw.collectives v ON v.id = c.collective
LEFT JOIN raw.kernel_names k ON k.id = c.kernel
LEFT JOIN raw.ranks r ON r.id = c.last_rank
LEFT JOIN raw.op_identities o ON o.id = c.cause_op
LEFT JOIN raw.layers l ON l.id = o.layer
