WITH sums AS (
    SELECT d.name AS kernel,
           rank_group(t.rank, $ranks_by) AS rank,
           CASE WHEN $by_device THEN t.device ELSE -1 END AS device,
           count(*) AS calls, sum(d.dur_ns)::BIGINT AS total, min(d.dur_ns) AS least, max(d.dur_ns) AS most,
           -- What runs outside of ops counts for pseudo-ops.
           CASE WHEN EXISTS (FROM raw.ops)
                THEN count(DISTINCT d.op) FILTER (WHERE i.type NOT IN ('unassociated', 'unattributed')) END AS ops
    FROM sel_device d
    JOIN raw.tracks t ON t.id = d.track
    LEFT JOIN raw.op_identities i ON i.id = d.op
    WHERE d.kind = device_kind('kernel')
    GROUP BY ALL
), path AS (
    SELECT kernel, rank_group(rank, $ranks_by) AS rank, sum(ns)::BIGINT AS ns
    FROM path_of_work
    WHERE kernel >= 0
    GROUP BY ALL
)
SELECT gr.number AS rank, nullif(gr.host, '') AS host, gd.number AS device,
       k.name AS kernel_name,
       tc_use_name(k.uses_tc) AS uses_tc,
       s.calls,
       s.total AS total_gpu_time_ns,
       100.0 * s.total / nullif((SELECT sum(total) FROM sums), 0) AS kernel_share_pct,
       round(s.total / s.calls)::BIGINT AS avg_gpu_time_ns,
       s.least AS min_gpu_time_ns,
       s.most AS max_gpu_time_ns,
       s.ops,
       CASE WHEN EXISTS (FROM path_of_work) THEN coalesce(p.ns, 0) END AS critical_path_ns,
       kernel_class_name(k.class) AS class,
       k.short_name,
       k.label
FROM sums s
JOIN raw.kernel_names k ON k.id = s.kernel
LEFT JOIN path p ON p.kernel = s.kernel AND p.rank = s.rank
LEFT JOIN raw.ranks gr ON gr.id = s.rank
LEFT JOIN raw.devices gd ON gd.id = s.device
