WITH property AS (
    SELECT substr(key, length('property.') + 1) AS name, any_value(value) AS value
    FROM raw.meta
    WHERE starts_with(key, 'property.')
    GROUP BY key
), thread AS (
    -- Some sources put what belongs to no thread under process 0.
    SELECT rank, pid, max(pid) OVER (PARTITION BY rank) AS most
    FROM raw.tracks
    WHERE kind = track_kind('thread')
    QUALIFY pid <> 0 OR most = 0
)
-- Where none worked, no device work was recorded: whether a device did any is not known. What else the machine has,
-- only a source tells that lists its devices.
SELECT (SELECT nullif(count(*), 0) FROM physical_devices) AS gpu_count,
       (SELECT count(*) FILTER (WHERE NOT worked) FROM used_devices
        HAVING bool_or(worked) AND EXISTS (FROM raw.devices WHERE declared)) AS gpu_unused_count,
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
       (SELECT nullif(count(DISTINCT (rank, pid)), 0) FROM thread) AS processes,
       (SELECT nullif(count(*), 0) FROM thread) AS threads,
       (SELECT string_agg(value, ', ') FROM (SELECT value FROM raw.meta WHERE key = 'source' LIMIT 8)) AS sources
