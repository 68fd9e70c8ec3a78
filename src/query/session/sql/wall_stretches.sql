SELECT r.number, w.begin_ns, w.end_ns
FROM sel_wall w
JOIN raw.ranks r ON r.id = w.rank
ORDER BY ALL
