SELECT key, count, help
FROM raw.diagnostics
WHERE severity IN ('data_loss', 'error') AND count > 0
ORDER BY count DESC, key
