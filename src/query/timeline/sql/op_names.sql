SELECT id, name, direction FROM raw.op_identities
