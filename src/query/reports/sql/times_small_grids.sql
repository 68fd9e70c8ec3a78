-- When kernels run that have fewer blocks than their device has multiprocessors, and nothing else beside them on it.
WITH running AS (
    SELECT t.rank, t.device, d.begin_ns, d.begin_ns + d.dur_ns AS end_ns,
           -- Collectives have few blocks on purpose.
           d.kind = device_kind('kernel') AND k.class <> kernel_class('communication')
               AND v.sm_count > 0 AND c.grid_x > 0
               AND c.grid_x * greatest(c.grid_y, 1) * greatest(c.grid_z, 1) < v.sm_count AS small
    FROM sel_device d
    JOIN raw.tracks t ON t.id = d.track
    LEFT JOIN raw.devices v ON v.id = t.device
    LEFT JOIN raw.kernel_names k ON k.id = d.name AND d.kind = device_kind('kernel')
    LEFT JOIN raw.launch_configs c ON c.id = d.config
    WHERE is_busy(d.kind)
), beside AS (
    SELECT *, max(end_ns) OVER earlier AS last_end,
           lead(begin_ns) OVER (PARTITION BY device ORDER BY begin_ns) AS next_begin
    FROM running
    WINDOW earlier AS (PARTITION BY device ORDER BY begin_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)
SELECT rank::BIGINT AS rank, begin_ns::BIGINT AS begin_ns, end_ns::BIGINT AS end_ns
FROM beside
WHERE small AND coalesce(last_end <= begin_ns, true) AND coalesce(next_begin >= end_ns, true)
ORDER BY 1, 2
