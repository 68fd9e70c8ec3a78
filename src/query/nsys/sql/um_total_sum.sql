SELECT coalesce(sum(to_device_bytes), 0)::BIGINT AS to_device_bytes,
       coalesce(sum(to_host_bytes), 0)::BIGINT AS to_host_bytes,
       sum(cpu_faults)::BIGINT AS cpu_faults, sum(gpu_faults)::BIGINT AS gpu_faults,
       address_text(min(nullif(address, -1))) AS first_address, address_text(max(nullif(address, -1))) AS last_address
FROM unified_memory
