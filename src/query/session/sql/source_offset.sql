-- From times of the profile to those of the source, which counts from the start of its session. NULL where that is not
-- known, or several sources had one each.
SELECT max(CASE WHEN key = 'origin_ns' THEN CAST(value AS BIGINT) END)
       - CASE WHEN max(CASE WHEN key = 'origin_is_unix' THEN value END) = 'false' THEN 0
              WHEN count(DISTINCT CASE WHEN key = 'property.session_start_ns' THEN value END) = 1
              THEN max(CASE WHEN key = 'property.session_start_ns' THEN CAST(value AS BIGINT) END) END AS offset_ns
FROM raw.meta
WHERE key IN ('origin_ns', 'origin_is_unix', 'property.session_start_ns')
