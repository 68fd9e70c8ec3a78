-- Counted work of the ops of one rank in the range. Needs work_rows by op and rank.
SELECT x.op, sum(x.flops) AS flops, coalesce(bool_or(x.has_gaps), false) AS has_gaps, sum(x.bound_ns) AS bound_ns,
       (sum(x.bounded_ns) FILTER (WHERE x.bound_ns IS NOT NULL))::BIGINT AS bounded_ns
FROM work_rows x
JOIN raw.ranks r ON r.id = x.rank
WHERE coalesce(r.number, 0) = $rank
GROUP BY x.op
