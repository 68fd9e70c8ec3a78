CREATE TEMP VIEW all_iterations AS FROM raw.iterations
