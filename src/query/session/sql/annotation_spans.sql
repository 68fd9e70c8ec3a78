SELECT t.rank, a.begin_ns, a.begin_ns + a.dur_ns AS end_ns, s.text
FROM raw.annotations a
JOIN raw.strings s ON s.id = a.name
JOIN raw.tracks t ON t.id = a.track
ORDER BY a.id
