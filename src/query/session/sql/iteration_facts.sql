SELECT key, value FROM raw.meta WHERE key LIKE 'iteration_%'
