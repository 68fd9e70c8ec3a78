SELECT key, value FROM raw.meta ORDER BY rowid
