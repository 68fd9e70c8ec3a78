SELECT id, grid_x, grid_y, grid_z, block_x, block_y, block_z FROM raw.launch_configs
