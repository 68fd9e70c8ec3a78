-- A type of op a row, beside it that of work outside of ops.
WITH quantiles AS (
    SELECT i.type,
           rank_group(t.rank, $ranks_by) AS rank,
           CASE WHEN $by_device THEN coalesce(w.device, -1) ELSE -1 END AS device,
           quantile_cont(o.dur_ns, [0.5, 0.95]) AS cpu_q
    FROM sel_ops o
    JOIN raw.op_identities i ON i.id = o.op
    LEFT JOIN raw.tracks t ON t.id = CASE WHEN $ranks_by <> '' THEN o.track END
    LEFT JOIN raw.op_work w ON w.id = CASE WHEN $by_device THEN o.id END
    GROUP BY ALL
)
SELECT s.* EXCLUDE (rank, device),
       gr.number AS rank, nullif(gr.host, '') AS host, gd.number AS device,
       s.type AS op_type,
       round(q.cpu_q[1])::BIGINT AS median_cpu_time_ns,
       round(q.cpu_q[2])::BIGINT AS p95_cpu_time_ns,
       w.* EXCLUDE (op, kernel, type, name, direction, shapes, layer, rank, device)
FROM op_sums s
LEFT JOIN quantiles q ON NOT s.outside AND q.type = s.type AND q.rank = s.rank AND q.device = s.device
LEFT JOIN work_rows w ON w.type = s.type AND w.rank = s.rank AND w.device = s.device
LEFT JOIN raw.ranks gr ON gr.id = s.rank
LEFT JOIN raw.devices gd ON gd.id = s.device
