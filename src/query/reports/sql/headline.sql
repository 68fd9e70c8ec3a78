-- The first numbers of the summary, one row. $untold: the resources whose time the profile cannot tell.
WITH wall AS (
    SELECT max(wall_ns) AS wall_ns, sum(wall_ns)::BIGINT AS total_ns FROM sel_wall_sums
), times AS (
    SELECT coalesce(sum(ns) FILTER (WHERE resource = resource('tensor_core_kernel')), 0)::BIGINT AS tensor_core_kernel,
           coalesce(sum(ns) FILTER (WHERE resource = resource('unknown_kernel')), 0)::BIGINT AS unknown_kernel,
           coalesce(sum(ns) FILTER (WHERE resource = resource('other_kernel')), 0)::BIGINT AS other_kernel,
           coalesce(sum(ns) FILTER (WHERE resource = resource('communication')), 0)::BIGINT AS communication,
           coalesce(sum(ns) FILTER (WHERE resource = resource('memory')), 0)::BIGINT AS memory,
           coalesce(sum(ns) FILTER (WHERE resource = resource('dataloader')), 0)::BIGINT AS dataloader,
           coalesce(sum(ns) FILTER (WHERE resource = resource('file_io')), 0)::BIGINT AS file_io,
           coalesce(sum(ns) FILTER (WHERE resource = resource('cpu')), 0)::BIGINT AS cpu,
           coalesce(sum(ns) FILTER (WHERE resource = resource('host')), 0)::BIGINT AS host,
           coalesce(sum(ns) FILTER (WHERE resource <> resource('idle')), 0)::BIGINT AS not_idle
    FROM resource_times
), told AS (
    SELECT CASE WHEN NOT list_contains($untold::VARCHAR[], 'tensor_core_kernel') THEN tensor_core_kernel END
               AS tensor_core_kernel,
           CASE WHEN NOT list_contains($untold::VARCHAR[], 'unknown_kernel') THEN unknown_kernel END AS unknown_kernel,
           CASE WHEN NOT list_contains($untold::VARCHAR[], 'other_kernel') THEN other_kernel END AS other_kernel,
           CASE WHEN NOT list_contains($untold::VARCHAR[], 'communication') THEN communication END AS communication,
           CASE WHEN NOT list_contains($untold::VARCHAR[], 'memory') THEN memory END AS memory,
           CASE WHEN NOT list_contains($untold::VARCHAR[], 'dataloader') THEN dataloader END AS dataloader,
           CASE WHEN NOT list_contains($untold::VARCHAR[], 'file_io') THEN file_io END AS file_io,
           CASE WHEN NOT list_contains($untold::VARCHAR[], 'host') THEN host END AS host,
           CASE WHEN NOT list_contains($untold::VARCHAR[], 'cpu') THEN cpu END AS cpu,
           CASE WHEN NOT list_contains($untold::VARCHAR[], 'idle') THEN not_idle END AS not_idle
    FROM times
), uses AS (
    SELECT avg(100.0 * busy_ns / nullif(wall_ns, 0)) AS busy_pct,
           avg(100.0 * kernel_ns / nullif(wall_ns, 0)) AS kernel_pct
    FROM physical_devices
    WHERE wall_ns IS NOT NULL
), kernels AS (
    -- Kernels of unknown use may be anything: of the time that could be on Tensor Cores (of kernels that use them, of
    -- eligible ops, and unknown) at least what is known to use them does, at most all but what is known not to. Of
    -- kernels that no op of a framework launched nothing tells whether they could, but the names of some that they
    -- could not.
    SELECT sum(gpu_ns) AS all_ns, bool_or(kind = device_kind('kernel')) AS told,
           coalesce(sum(gpu_ns) FILTER (WHERE uses_tc = tc_use('yes')), 0) AS tc_ns,
           coalesce(sum(gpu_ns) FILTER (WHERE uses_tc = tc_use('unknown')), 0) AS unknown_ns,
           sum(gpu_ns) FILTER (WHERE uses_tc <> tc_use('no') OR eligible) AS possible_ns,
           coalesce(sum(gpu_ns) FILTER (WHERE uses_tc = tc_use('no') AND NOT eligible AND of_no_op
                                              AND NOT no_product AND class = kernel_class('compute')), 0) AS untold_ns
    FROM summary_device
    WHERE kind IN (device_kind('kernel'), device_kind('graph')) AND $tensor_cores
), bounds AS (
    SELECT 100.0 * tc_ns / nullif(possible_ns + untold_ns, 0) AS efficiency_low,
           100.0 * (tc_ns + unknown_ns) / nullif(possible_ns, 0) AS efficiency_high,
           100.0 * tc_ns / nullif(all_ns, 0) AS share_low,
           100.0 * (tc_ns + unknown_ns) / nullif(all_ns, 0) AS share_high
    -- Of graphs alone nothing is known: no range at all says so better than 0 to 100 %.
    FROM (SELECT 1) LEFT JOIN kernels ON told
), communication AS (
    -- Of a source that tells layers or parts of ops and no times, nothing tells that there was none.
    SELECT CASE WHEN $device_work
                     AND (sum(ns) > 0 OR NOT EXISTS (FROM raw.meta WHERE key = 'property.source.times'))
                THEN coalesce(sum(ns), 0)::BIGINT END AS all_ns,
           coalesce(sum(ns) FILTER (WHERE overlapped), 0)::BIGINT AS overlap_ns
    FROM communication_times
)
SELECT w.wall_ns AS wall_clock_ns,
       CASE WHEN b.efficiency_low = b.efficiency_high THEN b.efficiency_low END AS tensor_core_efficiency_pct,
       b.efficiency_low AS tensor_core_efficiency_low_pct,
       b.efficiency_high AS tensor_core_efficiency_high_pct,
       CASE WHEN round(b.efficiency_low, 1) = round(b.efficiency_high, 1) THEN percent_text(b.efficiency_low)
            ELSE format('{:.1f} - {:.1f}%', b.efficiency_low, b.efficiency_high)
       END AS tensor_core_efficiency_text,
       CASE WHEN $devices THEN u.busy_pct END AS gpu_utilization_pct,
       CASE WHEN $devices THEN u.kernel_pct END AS kernel_utilization_pct,
       100.0 * t.tensor_core_kernel / nullif(w.total_ns, 0) AS tensor_core_kernel_pct,
       100.0 * t.unknown_kernel / nullif(w.total_ns, 0) AS unknown_kernel_pct,
       100.0 * t.other_kernel / nullif(w.total_ns, 0) AS non_tensor_core_kernel_pct,
       100.0 * t.communication / nullif(w.total_ns, 0) AS communication_pct,
       100.0 * t.memory / nullif(w.total_ns, 0) AS memory_pct,
       100.0 * t.dataloader / nullif(w.total_ns, 0) AS dataloader_pct,
       100.0 * t.file_io / nullif(w.total_ns, 0) AS io_pct,
       CASE WHEN EXISTS (FROM raw.ops) OR EXISTS (FROM raw.api_calls) THEN 100.0 * t.cpu / nullif(w.total_ns, 0)
       END AS cpu_pct,
       100.0 * t.host / nullif(w.total_ns, 0) AS host_pct,
       -- What no segment covers is idle too, so the shares add up to 100.
       100.0 * (w.total_ns - t.not_idle) / nullif(w.total_ns, 0) AS idle_pct,
       CASE WHEN b.share_low = b.share_high THEN b.share_low END AS tensor_core_kernel_share_pct,
       b.share_low AS tensor_core_kernel_share_low_pct,
       b.share_high AS tensor_core_kernel_share_high_pct,
       CASE WHEN round(b.share_low, 1) = round(b.share_high, 1) THEN percent_text(b.share_low)
            ELSE format('{:.1f} - {:.1f}%', b.share_low, b.share_high)
       END AS tensor_core_kernel_share_text,
       c.all_ns AS communication_ns,
       CASE WHEN w.wall_ns IS NOT NULL THEN 100.0 * c.overlap_ns / nullif(c.all_ns, 0) END AS communication_overlap_pct,
       CASE WHEN w.wall_ns IS NOT NULL THEN c.all_ns - c.overlap_ns END AS exposed_communication_ns
FROM wall w, told t, uses u, bounds b, communication c
