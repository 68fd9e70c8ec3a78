-- Devices that worked. Needs used_devices.
SELECT r.number AS rank, u.number AS device, nullif(u.name, '') AS name,
       CASE WHEN d.compute_major > 0 THEN d.compute_major || '.' || d.compute_minor END AS compute_capability,
       CASE WHEN d.sm_count > 0 THEN d.sm_count END AS sm_count,
       CASE WHEN d.memory_bytes > 0 THEN d.memory_bytes END AS memory_bytes,
       nullif(d.uuid, '') AS uuid, nullif(d.bus_location, '') AS bus_location, u.wall_ns, u.busy_ns
FROM used_devices u
JOIN raw.ranks r ON r.id = u.rank
JOIN raw.devices d ON d.id = u.described
WHERE u.worked
