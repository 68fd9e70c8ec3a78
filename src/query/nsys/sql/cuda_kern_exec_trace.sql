SELECT x.api_begin_ns + $offset_ns AS api_start_ns, x.api_ns,
       x.queue_begin_ns + $offset_ns AS queue_start_ns, x.queue_ns,
       x.kernel_begin_ns + $offset_ns AS kernel_start_ns, x.kernel_ns,
       x.total_ns, x.pid, x.tid, x.device, x.api,
       dimensions_text(c.grid_x, c.grid_y, c.grid_z) AS grid,
       dimensions_text(c.block_x, c.block_y, c.block_z) AS block, x.kernel
FROM kernel_launches($kernel_name) x
LEFT JOIN raw.launch_configs c ON c.id = x.config
ORDER BY x.kernel_begin_ns, x.rid
