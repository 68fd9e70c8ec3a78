-- Who holds the memory of each device (where none tells memory: of the host) at its peak, and what the ops among them
-- took of the devices in the range. Needs memory_at_peak.
WITH chosen AS (
    FROM memory_at_peak
    WHERE (device_type <> 0) = (SELECT coalesce(bool_or(device_type <> 0), false) FROM raw.memory_events)
), times AS (
    SELECT op, sum(dur_ns)::BIGINT AS ns FROM sel_device WHERE is_busy(kind) GROUP BY op
)
SELECT c.rank, c.device, any_value(c.peak) AS peak, c.holder_name, direction_name(i.direction) AS direction,
       sum(c.bytes)::BIGINT AS bytes, coalesce(sum(n.ns), 0)::BIGINT AS ns,
       coalesce((SELECT max(d.memory_bytes) FROM raw.devices d JOIN raw.ranks r ON r.id = d.rank
                 WHERE r.number = c.rank AND d.number = c.device), 0) AS size,
       any_value(c.device_type) = 0 AS host
FROM chosen c
LEFT JOIN raw.op_identities i ON i.id = c.op
LEFT JOIN times n ON n.op = c.op
WHERE c.told
GROUP BY c.rank, c.device, c.holder_name, i.direction
ORDER BY c.rank, c.device, sum(c.bytes) DESC, c.holder_name
