WITH calls AS (
    SELECT source, text AS name, dur_ns FROM mpi_calls
)
FROM summed('calls')
ORDER BY total_ns DESC, source, name
