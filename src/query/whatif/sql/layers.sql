SELECT id::BIGINT AS id, path, parent::BIGINT AS parent
FROM raw.layers
ORDER BY id
