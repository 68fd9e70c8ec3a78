-- Waits are gaps between a stream's work, as far as they lie in the range (a stream that only waits is left out); what
-- lies before its first and after its last span is none of them. Of a stream none of whose work has a known launch
-- nobody knows what it waited for, nor what was queued; nor where kernels were launched and not one is recorded.
WITH sums AS (
    SELECT stream,
           sum(spans)::BIGINT AS spans,
           sum(busy_ns)::BIGINT AS busy_ns,
           sum(host_wait_ns)::BIGINT AS host_wait_ns,
           sum(queued_wait_ns)::BIGINT AS queued_wait_ns,
           sum(other_wait_ns)::BIGINT AS other_wait_ns,
           sum(queued_ns)::BIGINT AS queued_ns,
           max(queue_max) AS queue_depth_max,
           sum(occupancy_pct_ns) AS occupancy_pct_ns,
           sum(occupancy_known_ns)::BIGINT AS occupancy_known_ns
    FROM sel_streams
    GROUP BY stream
    HAVING sum(spans) > 0
), launched AS (
    SELECT DISTINCT track AS stream FROM raw.device_spans, kernels_lost WHERE launch >= 0 AND NOT lost
)
SELECT r.number AS rank, d.number AS device, t.context, t.stream,
       CASE WHEN t.name <> '' AND lower(trim(t.name)) <> 'stream ' || t.stream THEN t.name END AS stream_name,
       s.spans, s.busy_ns,
       CASE WHEN w.wall_ns IS NOT NULL AND l.stream IS NOT NULL THEN s.host_wait_ns END AS host_wait_ns,
       CASE WHEN w.wall_ns IS NOT NULL AND l.stream IS NOT NULL THEN s.queued_wait_ns END AS queued_wait_ns,
       CASE WHEN w.wall_ns IS NOT NULL AND NOT k.lost THEN s.other_wait_ns END AS other_wait_ns,
       CASE WHEN NOT k.lost THEN 100.0 * s.busy_ns / nullif(w.wall_ns, 0) END AS busy_pct,
       CASE WHEN l.stream IS NOT NULL THEN s.queued_ns / nullif(w.wall_ns, 0) END AS queue_depth_mean,
       CASE WHEN w.wall_ns IS NOT NULL AND l.stream IS NOT NULL THEN s.queue_depth_max END AS queue_depth_max,
       s.occupancy_pct_ns / nullif(s.occupancy_known_ns, 0) AS occupancy_pct
FROM sums s
CROSS JOIN kernels_lost k
LEFT JOIN launched l ON l.stream = s.stream
JOIN raw.tracks t ON t.id = s.stream
LEFT JOIN raw.devices d ON d.id = t.device
LEFT JOIN raw.ranks r ON r.id = t.rank
LEFT JOIN sel_wall_sums w ON w.rank = t.rank
