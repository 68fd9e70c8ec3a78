-- Concatenations whose first tensor is larger than that of the one before, of layers that do so $least times or more in
-- each of $parts iterations.
WITH sizes AS (
    SELECT id, list_product(list_transform(
        regexp_extract_all(split_part(ltrim(shapes, '['), ']', 1), '\d+'), lambda x: x::DOUBLE)) AS elements
    FROM raw.signatures
), joined AS (
    SELECT o.track, i.layer, i.direction, o.begin_ns, o.begin_ns + o.dur_ns AS end_ns,
           z.elements > lag(z.elements) OVER (PARTITION BY o.track, i.layer, i.direction ORDER BY o.begin_ns) AS grows
    FROM sel_ops o
    JOIN raw.op_identities i ON i.id = o.op AND i.name = 'aten::cat'
    JOIN sizes z ON z.id = o.signature
), often AS (
    SELECT track, layer, direction
    FROM joined
    WHERE grows
    GROUP BY ALL
    HAVING count(*) >= $least::BIGINT * $parts::BIGINT
)
SELECT j.track::BIGINT AS track, t.rank::BIGINT AS rank, j.begin_ns::BIGINT AS begin_ns, j.end_ns::BIGINT AS end_ns,
       1::BIGINT AS ops
FROM joined j
JOIN often f ON f.track = j.track AND f.direction = j.direction AND f.layer IS NOT DISTINCT FROM j.layer
JOIN raw.tracks t ON t.id = j.track
WHERE j.grows
ORDER BY 1, 3
