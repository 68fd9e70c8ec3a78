-- Events of memory in the range, by the ops that were open. Needs ops_of_events.
WITH events AS MATERIALIZED (
    SELECT m.rowid AS event, m.track, m.time_ns, m.bytes, m.device_type, m.device, t.rank
    FROM raw.memory_events m
    JOIN raw.tracks t ON t.id = m.track
    WHERE EXISTS (FROM sel_wall w WHERE w.rank = t.rank AND m.time_ns >= w.begin_ns AND m.time_ns < w.end_ns)
), sums AS (
    SELECT coalesce(f.op, -1) AS op, e.rank, e.device_type, e.device,
           count(*) FILTER (WHERE e.bytes > 0) AS allocations,
           count(*) FILTER (WHERE e.bytes < 0) AS frees,
           coalesce(sum(e.bytes) FILTER (WHERE e.bytes > 0), 0)::BIGINT AS allocated_bytes,
           coalesce(-sum(e.bytes) FILTER (WHERE e.bytes < 0), 0)::BIGINT AS freed_bytes,
           max(e.bytes) AS largest
    FROM events e
    LEFT JOIN ops_of_events('events') f ON f.event = e.event
    GROUP BY ALL
)
SELECT r.number AS rank,
       memory_place(s.device_type) AS device_type,
       nullif(s.device, -1) AS device,
       nullif(s.op, -1) AS op_id,
       i.name AS op_name,
       direction_name(i.direction) AS direction,
       l.path AS layer,
       s.allocations, s.allocated_bytes,
       greatest(s.largest, 0) AS largest_bytes,
       s.frees, s.freed_bytes,
       s.allocated_bytes - s.freed_bytes AS kept_bytes,
       shown_shapes(i.shapes, $for_people) AS shapes
FROM sums s
LEFT JOIN raw.op_identities i ON i.id = s.op
LEFT JOIN raw.layers l ON l.id = i.layer
LEFT JOIN raw.ranks r ON r.id = s.rank
