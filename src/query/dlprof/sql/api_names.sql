SELECT id, text FROM raw.strings WHERE id IN (SELECT name FROM raw.api_calls)
