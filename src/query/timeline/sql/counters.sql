SELECT c.track, c.name AS name_id, coalesce(any_value(r.number), 0) AS rank, any_value(s.text) AS name
FROM raw.counters c
LEFT JOIN raw.tracks t ON t.id = c.track
LEFT JOIN raw.ranks r ON r.id = t.rank
LEFT JOIN raw.strings s ON s.id = c.name
GROUP BY c.track, c.name
ORDER BY rank, c.track, any_value(s.text), c.name
