SELECT i.rank, r.number AS rank_number, i.number, i.begin_ns, i.end_ns, i.warmup, i.rowid
FROM raw.iterations i
LEFT JOIN raw.ranks r ON r.id = i.rank
ORDER BY r.number, i.rank, i.begin_ns
