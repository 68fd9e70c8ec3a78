SELECT key, TRY_CAST(value AS BIGINT) AS number, value
FROM raw.meta
WHERE key IN ('begin_ns', 'end_ns', 'origin_ns', 'origin_is_unix', 'property.source.times')
