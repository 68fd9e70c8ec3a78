SELECT id, text AS name FROM raw.strings
