SELECT id::BIGINT, coalesce(occupancy_pct, -1)::DOUBLE FROM raw.launch_configs
