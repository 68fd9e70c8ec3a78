WITH sizes AS (
    SELECT bytes AS size, 'p2p' AS source, text FROM mpi_calls WHERE bytes >= 0
    UNION ALL
    SELECT sent_bytes, 'coll_send', text FROM mpi_calls WHERE sent_bytes >= 0
    UNION ALL
    SELECT received_bytes, 'coll_recv', text FROM mpi_calls WHERE received_bytes >= 0
)
SELECT sum(size)::BIGINT AS total, count(*) AS instances, avg(size), median(size)::DOUBLE, min(size), max(size),
       spread(size), source, text
FROM sizes
GROUP BY source, text
ORDER BY total DESC, source, text
