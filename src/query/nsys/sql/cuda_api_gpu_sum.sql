WITH work AS (
    SELECT 'CUDA_KERNEL' AS category, kernel AS operation, dur_ns FROM named_kernels($kernel_name)
    UNION ALL
    SELECT 'MEMORY_OPER', operation, dur_ns FROM st_memop
    UNION ALL
    SELECT 'CUDA_API', n.text, a.dur_ns FROM st_api a JOIN raw.strings n ON n.id = a.name
)
FROM summed('work')
ORDER BY total_ns DESC, category, operation
