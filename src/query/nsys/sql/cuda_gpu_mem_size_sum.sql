SELECT sum(bytes)::BIGINT AS total_bytes, count(*) AS instances, avg(bytes) AS avg_bytes,
       median(bytes)::DOUBLE AS median_bytes, min(bytes) AS min_bytes, max(bytes) AS max_bytes,
       spread(bytes) AS spread_bytes, operation
FROM st_memop
WHERE bytes >= 0
GROUP BY operation
ORDER BY total_bytes DESC, operation
