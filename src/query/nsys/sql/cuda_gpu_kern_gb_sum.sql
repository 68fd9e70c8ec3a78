WITH kernels AS (
    SELECT dimensions_text(c.grid_x, c.grid_y, c.grid_z) AS grid,
           dimensions_text(c.block_x, c.block_y, c.block_z) AS block, k.kernel AS name, k.dur_ns
    FROM named_kernels($kernel_name) k
    LEFT JOIN raw.launch_configs c ON c.id = k.config
)
FROM summed('kernels')
ORDER BY total_ns DESC, grid, block, name
