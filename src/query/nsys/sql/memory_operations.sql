-- Copies and sets with the call that launched each.
CREATE OR REPLACE TEMP VIEW memory_operations AS
SELECT m.rid, m.kind, m.copy_kind, m.from_number, m.to_number, m.begin_ns, m.dur_ns, m.from_kind, m.to_kind,
       CASE WHEN m.bytes >= 0 THEN m.bytes END AS bytes, h.pid, d.number AS device, t.context,
       nullif(e.green_context, -1) AS green_context, t.stream, n.text AS call
FROM st_memop m
JOIN st_api a ON a.id = m.launch
JOIN raw.strings n ON n.id = a.name
JOIN raw.tracks h ON h.id = a.track
JOIN raw.tracks t ON t.id = m.track
LEFT JOIN raw.devices d ON d.id = t.device
LEFT JOIN raw.device_extras e ON e.id = m.rid
