WITH work AS (
    SELECT t.rank, d.iteration,
           count(*) FILTER (WHERE d.kind = device_kind('kernel')) AS kernels,
           count(*) FILTER (WHERE k.uses_tc = tc_use('yes')) AS tc_kernels,
           count(*) FILTER (WHERE k.uses_tc = tc_use('unknown')) AS unknown_kernels,
           count(*) FILTER (WHERE d.kind = device_kind('graph')) AS graphs,
           (sum(d.dur_ns) FILTER (WHERE d.kind = device_kind('kernel')))::BIGINT AS kernel_ns,
           (sum(d.dur_ns) FILTER (WHERE is_transfer(d.kind)))::BIGINT AS memory_ns,
           (sum(d.dur_ns) FILTER (WHERE k.uses_tc = tc_use('yes')))::BIGINT AS tc_ns
    FROM sel_device d
    JOIN raw.tracks t ON t.id = d.track
    LEFT JOIN raw.kernel_names k ON d.kind = device_kind('kernel') AND k.id = d.name
    GROUP BY ALL
)
SELECT r.number AS rank,
       s.number AS iteration,
       nullif(s.name, '') AS name,
       s.begin_ns,
       s.end_ns - s.begin_ns AS duration_ns,
       s.own_end_ns - s.begin_ns AS own_duration_ns,
       coalesce(o.calls, 0) AS op_calls,
       coalesce(o.self_cpu_ns, 0) AS cpu_time_ns,
       -- Of nothing but graphs that were recorded as a whole, the kernels are not known.
       CASE WHEN d.kernels > 0 OR coalesce(d.graphs, 0) = 0 THEN coalesce(d.kernels, 0) END AS kernels,
       CASE WHEN d.kernels > 0 OR coalesce(d.graphs, 0) = 0 THEN coalesce(d.kernel_ns, 0) END AS kernel_time_ns,
       100.0 * coalesce(d.kernel_ns, 0) / nullif((SELECT sum(kernel_ns) FROM work), 0) AS kernel_share_pct,
       -- Where some do not tell and none is known to use them, how many do is not known.
       CASE WHEN d.tc_kernels > 0 OR coalesce(d.unknown_kernels + d.graphs, 0) = 0 THEN coalesce(d.tc_kernels, 0) END
           AS tc_kernels,
       coalesce(d.unknown_kernels, 0) AS unknown_tc_kernels,
       CASE WHEN d.tc_kernels > 0 OR coalesce(d.unknown_kernels + d.graphs, 0) = 0 THEN coalesce(d.tc_ns, 0) END
           AS tc_kernel_time_ns,
       coalesce(d.memory_ns, 0) AS memory_time_ns,
       s.warmup,
       nullif(s.warmup_reason, '') AS warmup_reason
FROM sel_iteration_times s
LEFT JOIN raw.ranks r ON r.id = s.rank
LEFT JOIN sel_iteration_ops o ON o.rank = s.rank AND o.iteration = s.number
LEFT JOIN work d ON d.rank = s.rank AND d.iteration = s.number
