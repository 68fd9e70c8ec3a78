-- What matrix products and convolutions on the host took, and what the processor's peaks allow for them, by op and
-- shapes: those of which work and bound are known (peaks of processors are estimates). The one that takes most beyond
-- its bound comes first.
SELECT i.name, shown_shapes(replace(regexp_replace(i.shapes, '\s+', '', 'g'), ',', ', '), true) AS shapes,
       sum(s.time_ns)::BIGINT AS time_ns, sum(s.share * w.bound_ns)::BIGINT AS bound_ns,
       sum(s.share * w.math_ns) > sum(s.share * w.memory_ns) AS math
FROM sel_work s
JOIN raw.works w ON w.id = s.work AND w.bound_ns > 0 AND w.macs > 0
JOIN raw.op_identities i ON i.id = s.op
WHERE s.device = -1 AND s.kernel = -1
GROUP BY ALL
ORDER BY sum(s.time_ns) - sum(s.share * w.bound_ns) DESC, i.name
