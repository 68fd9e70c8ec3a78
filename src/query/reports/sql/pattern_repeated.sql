-- Stretches in which a thread does the same outermost op over and over: $least times or more in each of $parts
-- iterations, for one layer, with the same shapes; with what parts and joins tensors there. What comes within 0.2 ms of
-- each other is one stretch. Optimizers and reads of single values have rules of their own; a gradient is accumulated
-- for each parameter, loop or not.
WITH outermost AS (
    SELECT o.track, o.begin_ns, o.begin_ns + o.dur_ns AS end_ns, o.op, o.signature, i.layer, i.name
    FROM sel_ops o
    JOIN raw.op_identities i ON i.id = o.op
    WHERE o.parent_op = -1 AND direction_name(i.direction) <> 'optimizer'
      AND NOT regexp_matches(i.name, 'AccumulateGrad|^aten::(item|_local_scalar_dense|is_nonzero)$')
), often AS (
    SELECT op, signature, any_value(layer) AS layer
    FROM outermost
    GROUP BY op, signature
    HAVING count(*) >= $least::BIGINT * $parts::BIGINT
), chosen AS (
    SELECT o.track, o.begin_ns, o.end_ns
    FROM outermost o
    WHERE (o.op, coalesce(o.signature, -1)) IN (SELECT (op, coalesce(signature, -1)) FROM often)
       OR regexp_matches(o.name, '(?i)(unbind|stack|select|split|cat|slice)(Backward\d*)?$')
          AND coalesce(o.layer, -1) IN (SELECT coalesce(layer, -1) FROM often)
), parted AS (
    SELECT *, begin_ns > 200000 + max(end_ns) OVER (
        PARTITION BY track ORDER BY begin_ns, end_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS parts
    FROM chosen
), numbered AS (
    SELECT *, count(*) FILTER (WHERE parts) OVER (PARTITION BY track ORDER BY begin_ns, end_ns) AS stretch
    FROM parted
)
SELECT n.track::BIGINT AS track, t.rank::BIGINT AS rank, min(n.begin_ns)::BIGINT AS begin_ns,
       max(n.end_ns)::BIGINT AS end_ns, count(*)::BIGINT AS ops
FROM numbered n
JOIN raw.tracks t ON t.id = n.track
GROUP BY n.track, t.rank, n.stretch
ORDER BY 1, 3
