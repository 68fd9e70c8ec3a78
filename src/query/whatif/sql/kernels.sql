SELECT id::BIGINT AS id, label, short_name, name
FROM raw.kernel_names
ORDER BY id
