-- How long each iteration takes, and its batch: the first dimension of what its first layer reads. Iterations in which
-- that layer reads several (an evaluation or a rollout beside the training) have none.
WITH reads AS (
    SELECT o.iteration, t.rank, o.begin_ns,
           i.name || regexp_replace(g.shapes, '^\[\[\d+', '') || i.layer AS layer,
           CASE WHEN i.name = 'aten::embedding' THEN regexp_extract(g.shapes, '^\[\[[^\]]*\], \[(\d+)', 1)
                ELSE regexp_extract(g.shapes, '^\[\[(\d+), ', 1) END AS batch
    FROM sel_ops o
    JOIN raw.op_identities i ON i.id = o.op AND direction_name(i.direction) = 'fprop'
        AND regexp_matches(i.name, '^aten::(conv[123]d|linear|embedding)$')
    JOIN raw.signatures g ON g.id = o.signature
    JOIN raw.tracks t ON t.id = o.track
), first AS (
    SELECT iteration, rank, arg_min(layer, begin_ns) AS layer, arg_min(batch, begin_ns) AS batch
    FROM reads
    GROUP BY ALL
), mixed AS (
    SELECT DISTINCT r.iteration, r.rank
    FROM reads r
    JOIN first f USING (iteration, rank, layer)
    WHERE r.batch <> f.batch
)
SELECT n.rank::BIGINT AS rank, n.begin_ns::BIGINT AS begin_ns, n.end_ns::BIGINT AS end_ns,
       TRY_CAST(f.batch AS INTEGER)::BIGINT AS batch
FROM sel_iteration_times n
JOIN first f ON f.rank = n.rank AND f.iteration = n.number
ANTI JOIN mixed m ON m.rank = n.rank AND m.iteration = n.number
WHERE TRY_CAST(f.batch AS INTEGER) > 0
ORDER BY 1, 2
