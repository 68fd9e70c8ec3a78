SELECT id::BIGINT AS id, name, layer::BIGINT AS layer, direction = direction('dataload') AS dataload
FROM raw.op_identities
ORDER BY id
