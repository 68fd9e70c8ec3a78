-- Ops that kernels count for, by name and type.
SELECT id::BIGINT AS id, name, type FROM raw.op_identities WHERE id IN (SELECT DISTINCT op FROM sel_device) ORDER BY id
