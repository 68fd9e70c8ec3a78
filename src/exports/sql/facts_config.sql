SELECT id, [grid_x, grid_y, grid_z]::VARCHAR AS grid, [block_x, block_y, block_z]::VARCHAR AS block,
       CASE WHEN registers_per_thread >= 0 THEN registers_per_thread END AS "registers per thread",
       CASE WHEN static_shared_bytes >= 0
            THEN static_shared_bytes::HUGEINT + greatest(dynamic_shared_bytes, 0) END AS "shared memory",
       CASE WHEN isfinite(occupancy_pct) AND occupancy_pct >= 0 THEN occupancy_pct END AS "theoretical occupancy %"
FROM raw.launch_configs
