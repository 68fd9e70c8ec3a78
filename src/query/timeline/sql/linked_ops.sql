-- The op in the forward pass of one in the backward pass; and those in the backward pass of one in the forward pass,
-- without what is inside of them.
(
    SELECT 'forward' AS role, id, track, begin_ns
    FROM raw.ops
    WHERE id = $forward
)
UNION ALL
(
    SELECT 'backward', o.id, o.track, o.begin_ns
    FROM raw.ops o
    LEFT JOIN raw.ops p ON p.id = o.parent_op
    WHERE o.forward = $id AND p.forward IS DISTINCT FROM o.forward
    ORDER BY o.begin_ns
    LIMIT $most
)
