SELECT t.id, t.kind, r.number AS rank, t.pid, t.tid, d.number AS device, t.context, t.stream, t.name, t.process_name,
       d.name AS device_name, t.pid_text, t.tid_text
FROM raw.tracks t
LEFT JOIN raw.ranks r ON r.id = t.rank
LEFT JOIN raw.devices d ON d.id = t.device
