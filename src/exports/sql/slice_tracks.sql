SELECT t.id, t.kind, t.rank, r.number AS rank_number, t.pid, t.tid, t.device, d.number AS device_number, d.name AS device_name,
       t.context, t.stream, nullif(t.name, '') AS name, nullif(t.process_name, '') AS process_name
FROM raw.tracks t
JOIN chosen_tracks c ON c.track = t.id
LEFT JOIN raw.ranks r ON r.id = t.rank
LEFT JOIN raw.devices d ON d.id = t.device
ORDER BY t.id
