CREATE TEMP TABLE all_iterations AS FROM raw.iterations LIMIT 0
