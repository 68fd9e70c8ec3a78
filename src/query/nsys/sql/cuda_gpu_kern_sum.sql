WITH kernels AS (
    SELECT kernel AS name, dur_ns
    FROM named_kernels($kernel_name)
)
FROM summed('kernels')
ORDER BY total_ns DESC, name
