WITH property AS (
    SELECT substr(key, length('property.') + 1) AS name, any_value(value) AS value
    FROM raw.meta
    WHERE starts_with(key, 'property.')
    GROUP BY key
)
SELECT (SELECT count(*) FROM used_devices WHERE worked) AS gpu_count,
       (SELECT count(*) FROM used_devices WHERE NOT worked) AS gpu_unused_count,
       (SELECT string_agg(DISTINCT name, ', ' ORDER BY name) FROM used_devices WHERE name <> '') AS gpu_names,
       (SELECT value FROM property WHERE name = 'cpu_model') AS cpu_model,
       (SELECT value FROM property WHERE name = 'driver_version') AS gpu_driver_version,
       (SELECT string_agg(value, ', ') FROM raw.meta WHERE key = 'framework') AS framework,
       coalesce((SELECT value FROM property WHERE name = 'cuda_runtime_version'),
                (SELECT value FROM property WHERE name = 'cuda_version')) AS cuda_version,
       (SELECT value FROM property WHERE name = 'cuda_driver_version') AS cuda_driver_version,
       (SELECT any_value(value) FROM raw.meta WHERE key = 'producer') AS producer,
       (SELECT any_value(value) FROM raw.meta WHERE key = 'writer') AS opsight_version,
       (SELECT count(*) FROM raw.ranks) AS ranks,
       (SELECT count(DISTINCT (rank, pid)) FROM raw.tracks WHERE kind = track_kind('thread')) AS processes,
       (SELECT count(*) FROM raw.tracks WHERE kind = track_kind('thread')) AS threads,
       (SELECT string_agg(value, ', ') FROM (SELECT value FROM raw.meta WHERE key = 'source' LIMIT 8)) AS sources
