SELECT id::BIGINT AS id, min(id) OVER (PARTITION BY host)::BIGINT AS first
FROM raw.ranks
ORDER BY id
