-- The wall clock of a range without iterations, one for each rank.
SELECT w.rank, r.number, -1 AS iteration, w.begin_ns, w.end_ns - w.begin_ns AS dur_ns, false AS warmup, true AS selected
FROM sel_wall w
LEFT JOIN raw.ranks r ON r.id = w.rank
ORDER BY w.rank, w.begin_ns
