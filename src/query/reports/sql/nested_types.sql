-- Types of ops with calls right inside a call of the same type, whose times a row's totals hold twice.
SELECT i.type, count(*) AS nested
FROM sel_ops o
JOIN raw.op_identities i ON i.id = o.op
JOIN raw.ops p ON p.id = o.parent_op
JOIN raw.op_identities j ON j.id = p.op AND j.type = i.type
GROUP BY i.type
ORDER BY sum(o.dur_ns) DESC, i.type
