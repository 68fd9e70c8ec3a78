-- What the counted work of the kernels of each op needs at least, beside what they took: not where work or bound are
-- estimates.
CREATE TEMP VIEW bounds_of_kernels AS
SELECT s.rank, s.op, s.kernel, sum(s.spans) AS spans, sum(s.time_ns)::BIGINT AS time_ns,
       sum(s.share * w.bound_ns) AS bound_ns, sum(s.share * w.math_ns) > sum(s.share * w.memory_ns) AS math
FROM sel_work s
JOIN raw.works w ON w.id = s.work AND w.bound_ns > 0 AND NOT w.estimate
WHERE s.device >= 0 AND s.kernel >= 0
GROUP BY ALL
