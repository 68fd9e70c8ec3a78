SELECT id::BIGINT AS id, direction_name(direction) AS direction FROM raw.op_identities
