SELECT id, text FROM raw.strings
