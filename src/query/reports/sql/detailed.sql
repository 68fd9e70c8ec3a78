-- An op a row. Medians and stacks are those of the shown ops.
WITH stacks AS (
    -- The stack that took most of an op's time.
    SELECT op, first(stack ORDER BY ns DESC, stack) AS stack
    FROM (
        SELECT o.op, e.stack, sum(o.dur_ns) AS ns
        FROM sel_ops o
        SEMI JOIN shown_ops s ON s.op = o.op
        JOIN raw.op_extras e ON e.id = o.id
        WHERE e.stack <> ''
        GROUP BY ALL
    )
    GROUP BY op
), path AS (
    -- Pseudo-ops of one name are one row (outside_work.sql).
    SELECT CASE WHEN p.op >= 0 AND (i.type NOT IN ('unassociated', 'unattributed') OR i.layer <> -1) THEN '#' || p.op
                ELSE coalesce(i.name, p.name) END AS row,
           p.outside = 1 AS outside,
           rank_group(p.rank, $ranks_by) AS rank,
           sum(p.ns)::BIGINT AS ns
    FROM path_of_work p
    LEFT JOIN raw.op_identities i ON i.id = p.op
    GROUP BY ALL
)
SELECT s.* EXCLUDE (rank, device),
       gr.number AS rank, nullif(gr.host, '') AS host, gd.number AS device,
       nullif(s.op, -1) AS op_id,
       coalesce(i.name, s.name) AS op_name,
       coalesce(direction_name(i.direction), 'other') AS direction,
       coalesce(i.type, 'unassociated') AS op_type,
       coalesce(i.tc_eligible, s.tc_kernels > 0) AS tc_eligible,
       CASE WHEN s.tc_kernels > 0 THEN 'yes' WHEN s.unknown_tc_kernels > 0 THEN 'unknown' ELSE 'no' END AS using_tc,
       nullif(i.dtypes, '') AS dtypes,
       x.stack,
       l.path AS layer,
       shown_shapes(i.shapes, $for_people) AS shapes,
       round(coalesce(s.cpu_q[1], q.cpu_p50))::BIGINT AS median_cpu_time_ns,
       round(coalesce(s.cpu_q[2], q.cpu_p95))::BIGINT AS p95_cpu_time_ns,
       round(coalesce(s.gpu_q[1], q.gpu_p50))::BIGINT AS median_gpu_time_ns,
       round(coalesce(s.gpu_q[2], q.gpu_p95))::BIGINT AS p95_gpu_time_ns,
       CASE WHEN EXISTS (FROM path_of_work) THEN coalesce(p.ns, 0) END AS critical_path_ns,
       w.* EXCLUDE (op, kernel, type, name, direction, shapes, layer, rank, device)
FROM op_sums s
LEFT JOIN op_quantiles q ON q.op = s.op AND q.rank = s.rank AND q.device = s.device
LEFT JOIN stacks x ON x.op = s.op
LEFT JOIN raw.op_identities i ON i.id = s.op
LEFT JOIN raw.layers l ON l.id = i.layer
LEFT JOIN path p
    ON p.rank = s.rank AND p.outside = s.outside
       AND p.row = CASE WHEN s.op >= 0 AND (i.type NOT IN ('unassociated', 'unattributed') OR i.layer <> -1)
                        THEN '#' || s.op ELSE s.name END
LEFT JOIN work_rows w ON w.op = s.op AND w.rank = s.rank AND w.device = s.device
LEFT JOIN raw.ranks gr ON gr.id = s.rank
LEFT JOIN raw.devices gd ON gd.id = s.device
