SELECT id::BIGINT AS id, number::BIGINT AS number FROM raw.ranks
