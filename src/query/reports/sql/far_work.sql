-- The kernels of an op that take $ns or longer each and less than $pct % of which their counted work needs at least:
-- not where work or bound are estimates.
CREATE OR REPLACE TEMP TABLE far_work AS
SELECT s.rank, s.op, s.kernel, sum(s.time_ns)::BIGINT AS time_ns, sum(s.share * w.bound_ns) AS bound_ns,
       sum(s.share * w.math_ns) > sum(s.share * w.memory_ns) AS math
FROM sel_work s
JOIN raw.works w ON w.id = s.work AND w.bound_ns > 0 AND NOT w.estimate
WHERE s.device >= 0 AND s.kernel >= 0
GROUP BY ALL
HAVING sum(s.share * w.bound_ns) < $pct / 100 * sum(s.time_ns) AND sum(s.time_ns) >= $ns * sum(s.spans)
