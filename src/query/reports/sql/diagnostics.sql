SELECT key, severity, count, help
FROM raw.diagnostics
WHERE NOT $for_people OR severity <> 'info'
