-- Whatever range is chosen.
SELECT a.rank, r.number, a.number, a.begin_ns, a.end_ns - a.begin_ns AS dur_ns, a.warmup,
       a.number IN (SELECT number FROM sel_iterations s WHERE s.rank = a.rank) AS selected
FROM all_iteration_times a
LEFT JOIN raw.ranks r ON r.id = a.rank
ORDER BY a.rank, a.begin_ns, a.number
