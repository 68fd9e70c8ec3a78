SELECT id, nullif(text, '') AS category FROM raw.strings WHERE id IN (SELECT DISTINCT category FROM raw.other_spans)
