SELECT id::BIGINT, type, direction_name(direction) FROM raw.op_identities
