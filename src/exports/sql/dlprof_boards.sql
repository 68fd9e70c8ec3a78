SELECT id, sm_count, memory_bytes FROM raw.devices ORDER BY id
