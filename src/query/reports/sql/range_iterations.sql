-- Those of the range, as its wall clock counts them.
SELECT s.rank, r.number, s.number, s.begin_ns, s.end_ns - s.begin_ns AS dur_ns, s.warmup, true AS selected
FROM sel_iteration_times s
LEFT JOIN raw.ranks r ON r.id = s.rank
ORDER BY s.rank, s.begin_ns, s.number
