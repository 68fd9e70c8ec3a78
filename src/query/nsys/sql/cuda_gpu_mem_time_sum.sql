WITH transfers AS (
    SELECT operation, dur_ns FROM st_memop
)
FROM summed('transfers')
ORDER BY total_ns DESC, operation
