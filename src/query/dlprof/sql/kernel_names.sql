SELECT id, name, coalesce(nullif(base_name, ''), short_name) AS base, uses_tc = tc_use('yes') AS uses_tc
FROM raw.kernel_names
