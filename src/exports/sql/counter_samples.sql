SELECT s.track, s.name, x.text, r.number AS rank_number, s.time_ns, s.value
FROM raw.counters s
JOIN chosen_tracks c ON c.track = s.track AND s.time_ns BETWEEN c.begin_ns AND c.end_ns
LEFT JOIN raw.strings x ON x.id = s.name
LEFT JOIN raw.tracks t ON t.id = s.track
LEFT JOIN raw.ranks r ON r.id = t.rank
WHERE isfinite(s.value)
