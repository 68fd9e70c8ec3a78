-- What is held at the peak. Needs memory_at_peak.
SELECT m.rank,
       memory_place(m.device_type) AS device_type,
       nullif(m.device, -1) AS device,
       m.holder_name,
       m.bytes,
       100.0 * m.bytes / greatest(m.peak, sum(m.bytes) OVER (PARTITION BY m.rank, m.device_type, m.device))
           AS share_pct,
       m.allocations,
       m.largest AS largest_bytes,
       nullif(m.op, -1) AS op_id,
       i.name AS op_name,
       direction_name(i.direction) AS direction,
       l.path AS layer,
       m.stack
FROM memory_at_peak m
LEFT JOIN raw.op_identities i ON i.id = m.op
LEFT JOIN raw.layers l ON l.id = i.layer
