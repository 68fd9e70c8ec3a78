SELECT t.rank, s.device_type, s.device, memory_place(s.device_type) AS place, r.number AS rank_number, s.time_ns,
       CASE WHEN s.total_allocated >= 0 THEN s.total_allocated END AS allocated,
       CASE WHEN s.total_reserved >= 0 THEN s.total_reserved END AS reserved
FROM raw.memory_events s
JOIN chosen_tracks c ON c.track = s.track AND s.time_ns BETWEEN c.begin_ns AND c.end_ns
LEFT JOIN raw.tracks t ON t.id = s.track
LEFT JOIN raw.ranks r ON r.id = t.rank
