-- When kernels of collectives wait for the rank that comes last.
SELECT rank::BIGINT AS rank, begin_ns, begin_ns + waiting_ns AS end_ns
FROM raw.collective_members
WHERE device_span >= 0 AND waiting_ns > 0
ORDER BY 1, 2
