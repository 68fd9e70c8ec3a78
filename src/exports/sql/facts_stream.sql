SELECT t.id, d.number AS device, t.stream
FROM raw.tracks t
LEFT JOIN raw.devices d ON d.id = t.device
