-- Calls of ranks that are parts of the collectives of the range. $track_parts and the parts make the number of a track
-- of the timeline (track_id.h). Needs matched_collectives.
SELECT m.call, r.number AS rank, nullif(r.host, '') AS host,
       m.track::BIGINT * $track_parts + CASE WHEN m.host_span >= 0 THEN $ranges_part ELSE $stream_part END AS track,
       m.begin_ns,
       m.dur_ns AS duration_ns, nullif(m.waiting_ns, -1) AS waiting_ns,
       CASE WHEN m.waiting_ns >= 0 THEN m.dur_ns - m.waiting_ns END AS transfer_ns,
       nullif(m.exposed_ns, -1) AS exposed_ns,
       CASE WHEN c.last_rank >= 0 THEN c.last_rank = m.rank END AS is_last
FROM range_members m
JOIN raw.collective_calls c ON c.id = m.call
LEFT JOIN raw.ranks r ON r.id = m.rank
