-- The op whose kernels take most beyond their bound: those of one name and shapes together, in whatever layers.
SELECT i.name, shown_shapes(replace(regexp_replace(i.shapes, '\s+', '', 'g'), ',', ', '), true) AS shapes,
       sum(f.time_ns)::BIGINT AS time_ns, sum(f.bound_ns)::BIGINT AS bound_ns, arg_max(f.math, f.time_ns) AS math
FROM far_work f
JOIN raw.op_identities i ON i.id = f.op
GROUP BY ALL
ORDER BY sum(f.time_ns) - sum(f.bound_ns) DESC, i.name
LIMIT 1
