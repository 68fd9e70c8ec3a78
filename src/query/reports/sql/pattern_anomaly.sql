-- Checks for NaN within backward nodes, where there are $least or more in each of $parts iterations: of detect_anomaly.
WITH checks AS (
    SELECT o.track, o.begin_ns, o.begin_ns + o.dur_ns AS end_ns, i.name
    FROM sel_ops o
    JOIN raw.op_identities i ON i.id = o.op AND direction_name(i.direction) = 'bprop'
        AND regexp_matches(i.name, '^aten::(isnan|any|item|is_nonzero)$')
    JOIN raw.ops p ON p.id = o.parent_op
    JOIN raw.op_identities n ON n.id = p.op AND starts_with(n.name, 'autograd::engine::evaluate_function')
)
SELECT c.track::BIGINT AS track, t.rank::BIGINT AS rank, c.begin_ns::BIGINT AS begin_ns, c.end_ns::BIGINT AS end_ns,
       (c.name = 'aten::isnan')::BIGINT AS ops
FROM checks c
JOIN raw.tracks t ON t.id = c.track
WHERE (SELECT count(*) FROM checks WHERE name = 'aten::isnan') >= $least::BIGINT * $parts::BIGINT
ORDER BY 1, 3
