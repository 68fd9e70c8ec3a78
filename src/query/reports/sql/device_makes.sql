-- Which devices worked.
SELECT DISTINCT d.name, d.compute_major, d.compute_minor
FROM used_devices u
JOIN raw.devices d ON d.id = u.described
WHERE u.worked
