SELECT value FROM raw.meta WHERE key = 'origin_ns'
