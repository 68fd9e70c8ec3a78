WITH work AS (
    SELECT 'CUDA_KERNEL' AS category, kernel AS operation, dur_ns FROM named_kernels($kernel_name)
    UNION ALL
    SELECT 'MEMORY_OPER', operation, dur_ns FROM st_memop
)
FROM summed('work')
ORDER BY total_ns DESC, category, operation
