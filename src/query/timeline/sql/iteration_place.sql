SELECT i.rank, i.rowid, i.begin_ns
FROM raw.iterations i
JOIN raw.ranks r ON r.id = i.rank
JOIN raw.tracks t ON t.rank = r.id
WHERE t.id = $track AND i.number = $number
