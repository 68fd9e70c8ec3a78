-- A layer a row, with all below it. An instance counts in every layer that its own lies in and that of the op that
-- called it does not: so a layer's times cover its subtree once, however deeply ops call each other. Work outside of
-- ops counts in the layer that was open at its launch, the root where there was none.
WITH above AS MATERIALIZED (
    FROM layers_above
), instances AS (
    SELECT i.layer, o.caller_layer AS caller, o.caller_layer <> caller_layer('none') AS called,
           rank_group(t.rank, $ranks_by) AS rank,
           CASE WHEN $by_device THEN coalesce(w.device, -1) ELSE -1 END AS device,
           o.dur_ns, coalesce(w.api_ns, 0) AS api_ns, coalesce(w.gpu_ns, 0) AS gpu_ns,
           coalesce(w.gpu_idle_ns, 0) AS gpu_idle_ns
    FROM sel_ops o
    JOIN raw.tracks t ON t.id = o.track
    LEFT JOIN raw.op_work w ON w.id = o.id
    JOIN raw.op_identities i ON i.id = o.op
    WHERE o.caller_layer <> caller_layer('same_layer')
), parts AS (
    SELECT layer, caller, called, rank, device, count(*) AS calls,
           sum(dur_ns)::BIGINT AS cpu_ns, min(dur_ns) AS cpu_min_ns, max(dur_ns) AS cpu_max_ns,
           sum(api_ns)::BIGINT AS api_ns,
           min(dur_ns - api_ns) AS overhead_min_ns, max(dur_ns - api_ns) AS overhead_max_ns,
           sum(gpu_ns)::BIGINT AS gpu_ns, min(gpu_ns) AS gpu_min_ns, max(gpu_ns) AS gpu_max_ns,
           sum(gpu_idle_ns)::BIGINT AS gpu_idle_ns,
           min(gpu_idle_ns) AS gpu_idle_min_ns, max(gpu_idle_ns) AS gpu_idle_max_ns
    FROM instances
    GROUP BY ALL
    UNION ALL BY NAME
    SELECT i.layer, caller_layer('none') AS caller, false AS called, s.rank, s.device, s.calls,
           s.cpu_ns, s.cpu_min_ns, s.cpu_max_ns, s.api_ns, s.overhead_min_ns, s.overhead_max_ns,
           s.gpu_ns, s.gpu_min_ns, s.gpu_max_ns, s.gpu_idle_ns, s.gpu_idle_min_ns, s.gpu_idle_max_ns
    FROM outside_work s
    JOIN raw.op_identities i ON i.id = s.op
), sums AS (
    SELECT a.ancestor AS layer, p.rank, p.device, sum(p.calls)::BIGINT AS calls,
           sum(p.cpu_ns)::BIGINT AS total_cpu_time_ns,
           min(p.cpu_min_ns) AS min_cpu_time_ns, max(p.cpu_max_ns) AS max_cpu_time_ns,
           sum(p.cpu_ns)::BIGINT - sum(p.api_ns)::BIGINT AS total_cpu_overhead_ns,
           min(p.overhead_min_ns) AS min_cpu_overhead_ns, max(p.overhead_max_ns) AS max_cpu_overhead_ns,
           sum(p.gpu_ns)::BIGINT AS total_gpu_time_ns,
           -- Work of which no call is known is no part of what a call takes.
           (sum(p.gpu_ns) FILTER (WHERE p.calls > 0))::BIGINT AS called_gpu_time_ns,
           min(p.gpu_min_ns) AS min_gpu_time_ns, max(p.gpu_max_ns) AS max_gpu_time_ns,
           sum(p.gpu_idle_ns)::BIGINT AS total_gpu_idle_ns,
           min(p.gpu_idle_min_ns) AS min_gpu_idle_ns, max(p.gpu_idle_max_ns) AS max_gpu_idle_ns
    FROM parts p
    JOIN above a ON a.layer = p.layer
    WHERE NOT p.called OR NOT EXISTS (FROM above c WHERE c.layer = p.caller AND c.ancestor = a.ancestor)
    GROUP BY ALL
), stats AS (
    SELECT op, rank_group(rank, $ranks_by) AS rank, CASE WHEN $by_device THEN device ELSE -1 END AS device,
           self_cpu_ns, self_gpu_ns, tc_kernels
    FROM sel_stats
    UNION ALL
    SELECT op, rank, device, self_cpu_ns, self_gpu_ns, tc_kernels
    FROM outside_work
), own AS (
    -- Each op by its own time, which no other has.
    SELECT a.ancestor AS layer, s.rank, s.device,
           count(DISTINCT s.op) AS ops,
           count(DISTINCT s.op) FILTER (WHERE i.tc_eligible) AS eligible,
           count(DISTINCT s.op) FILTER (WHERE s.tc_kernels > 0) AS using_tc,
           sum(s.self_cpu_ns)::BIGINT AS cpu_ns,
           (sum(s.self_cpu_ns) FILTER (WHERE a.ancestor = i.layer))::BIGINT AS layer_cpu_ns,
           (sum(s.self_gpu_ns) FILTER (WHERE a.ancestor = i.layer))::BIGINT AS layer_gpu_ns,
           (sum(s.self_cpu_ns) FILTER (WHERE i.direction = direction('fprop')))::BIGINT AS forward_cpu_ns,
           (sum(s.self_cpu_ns) FILTER (WHERE i.direction = direction('bprop')))::BIGINT AS backward_cpu_ns,
           (sum(s.self_gpu_ns) FILTER (WHERE i.direction = direction('fprop')))::BIGINT AS forward_gpu_ns,
           (sum(s.self_gpu_ns) FILTER (WHERE i.direction = direction('bprop')))::BIGINT AS backward_gpu_ns,
           -- Work of no op has none: then what is forward and what backward is not known.
           bool_or(i.direction <> direction('other')) AS told
    FROM stats s
    JOIN raw.op_identities i ON i.id = s.op
    JOIN above a ON a.layer = i.layer
    GROUP BY ALL
), path AS (
    SELECT a.ancestor AS layer, rank_group(p.rank, $ranks_by) AS rank, sum(p.ns)::BIGINT AS ns
    FROM path_of_work p
    LEFT JOIN raw.op_identities i ON i.id = p.op
    JOIN above a ON a.layer = coalesce(i.layer, -1)
    GROUP BY ALL
)
SELECT s.* EXCLUDE (layer, rank, device, called_gpu_time_ns),
       gr.number AS rank, nullif(gr.host, '') AS host, gd.number AS device,
       coalesce('/' || l.path, '/') AS name,
       coalesce(n.eligible, 0) AS tc_eligible_ops,
       coalesce(n.using_tc, 0) AS tc_ops,
       round(s.total_cpu_time_ns / s.calls)::BIGINT AS avg_cpu_time_ns,
       round(s.total_cpu_overhead_ns / s.calls)::BIGINT AS avg_cpu_overhead_ns,
       round(s.called_gpu_time_ns / s.calls)::BIGINT AS avg_gpu_time_ns,
       round(s.total_gpu_idle_ns / s.calls)::BIGINT AS avg_gpu_idle_ns,
       coalesce(n.cpu_ns, 0) AS self_cpu_time_ns,
       CASE WHEN n.told THEN coalesce(n.forward_cpu_ns, 0) END AS forward_cpu_time_ns,
       CASE WHEN n.told THEN coalesce(n.backward_cpu_ns, 0) END AS backward_cpu_time_ns,
       CASE WHEN n.told THEN coalesce(n.forward_gpu_ns, 0) END AS forward_gpu_time_ns,
       CASE WHEN n.told THEN coalesce(n.backward_gpu_ns, 0) END AS backward_gpu_time_ns,
       coalesce(n.layer_cpu_ns, 0) AS own_cpu_time_ns,
       coalesce(n.layer_gpu_ns, 0) AS own_gpu_time_ns,
       n.ops,
       coalesce(k.kernels, 0) AS kernels,
       CASE WHEN n.told THEN coalesce(k.forward_kernels, 0) END AS forward_kernels,
       CASE WHEN n.told THEN coalesce(k.backward_kernels, 0) END AS backward_kernels,
       CASE WHEN EXISTS (FROM path_of_work) THEN coalesce(p.ns, 0) END AS critical_path_ns,
       w.* EXCLUDE (op, kernel, type, name, direction, shapes, layer, rank, device)
FROM sums s
JOIN own n ON n.layer = s.layer AND n.rank = s.rank AND n.device = s.device
LEFT JOIN raw.layers l ON l.id = s.layer
LEFT JOIN layer_kernels k ON k.layer = s.layer AND k.rank = s.rank
LEFT JOIN path p ON p.layer = s.layer AND p.rank = s.rank
LEFT JOIN work_rows w ON w.layer = s.layer AND w.rank = s.rank AND w.device = s.device
LEFT JOIN raw.ranks gr ON gr.id = s.rank
LEFT JOIN raw.devices gd ON gd.id = s.device
