SELECT address_text(address), sum(to_device_bytes)::BIGINT AS to_device_bytes,
       sum(to_host_bytes)::BIGINT AS to_host_bytes, sum(cpu_faults)::BIGINT AS cpu_faults,
       sum(gpu_faults)::BIGINT AS gpu_faults,
       CASE WHEN sum(dur_ns) > 0 THEN sum(bytes) * 1e9 / sum(dur_ns) END AS bytes_per_s
FROM unified_memory
GROUP BY address
ORDER BY sum(to_device_bytes + to_host_bytes) DESC, address
LIMIT $rows
