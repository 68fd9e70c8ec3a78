SELECT id::BIGINT, coalesce(rank, -1)::BIGINT FROM raw.tracks
