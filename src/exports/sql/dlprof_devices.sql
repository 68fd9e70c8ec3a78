SELECT id, rank
FROM raw.devices
ORDER BY id
