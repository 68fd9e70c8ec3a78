-- What is held at the peak of each device (without work of a device: of the host) in the range, by the ops that asked
-- for it. Needs memory_event_ops.
WITH events AS (
    SELECT m.rowid AS event, t.rank, m.device, m.time_ns, m.bytes, m.total_allocated,
           lead(m.time_ns) OVER (PARTITION BY t.rank, m.device, m.address ORDER BY m.time_ns, m.rowid) AS until
    FROM raw.memory_events m
    JOIN raw.tracks t ON t.id = m.track
    JOIN sel_wall w ON w.rank = t.rank AND m.time_ns >= w.begin_ns AND m.time_ns < w.end_ns
    WHERE (m.device_type <> 0) = $device
), peaks AS (
    SELECT rank, device, arg_max(time_ns, total_allocated) AS at_ns, max(total_allocated) AS bytes
    FROM events
    WHERE total_allocated > 0
    GROUP BY ALL
), held AS (
    SELECT e.event, e.rank, e.device, e.bytes
    FROM events e
    JOIN peaks p ON p.rank = e.rank AND p.device = e.device AND e.time_ns <= p.at_ns
        AND (e.until IS NULL OR e.until > p.at_ns)
    WHERE e.bytes > 0
), times AS (
    SELECT op, sum(dur_ns)::BIGINT AS ns FROM sel_device WHERE is_busy(kind) GROUP BY op
), holders AS (
    SELECT h.rank, h.device, i.name, direction_name(i.direction) AS direction, sum(h.bytes)::BIGINT AS bytes,
           (sum(DISTINCT coalesce(n.ns, 0)))::BIGINT AS ns
    FROM held h
    JOIN memory_event_ops o ON o.event = h.event
    JOIN raw.op_identities i ON i.id = o.op
    LEFT JOIN times n ON n.op = o.op
    GROUP BY ALL
)
SELECT r.number AS rank, p.device, p.bytes AS peak, h.name, h.direction, h.bytes, h.ns,
       coalesce((SELECT max(d.memory_bytes) FROM raw.devices d WHERE d.rank = p.rank AND d.number = p.device), 0)
           AS size
FROM peaks p
JOIN raw.ranks r ON r.id = p.rank
LEFT JOIN holders h ON h.rank = p.rank AND h.device = p.device
ORDER BY r.number, p.device, h.bytes DESC NULLS LAST, h.name
