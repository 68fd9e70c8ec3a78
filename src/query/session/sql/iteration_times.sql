CREATE TEMP VIEW sel_iteration_times AS
SELECT i.* REPLACE (
           least(w.end_ns, coalesce(lead(i.begin_ns) OVER (PARTITION BY i.rank ORDER BY i.begin_ns), w.end_ns))
               AS end_ns
       ),
       i.end_ns AS own_end_ns
FROM sel_iterations i
ASOF JOIN sel_wall w ON w.rank = i.rank AND w.begin_ns <= i.begin_ns
