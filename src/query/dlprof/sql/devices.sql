SELECT d.id, d.number, d.compute_major, d.compute_minor, r.host, d.bus_location, d.uuid, d.name
FROM raw.devices d
JOIN raw.ranks r ON r.id = d.rank
ORDER BY r.host, d.number, d.id
