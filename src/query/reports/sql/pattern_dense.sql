-- Gradients of embeddings of $least rows or more of which a batch uses at most a tenth, what the optimizer and the
-- zeroing of gradients do with tensors of so many rows, and the freeing of gradients.
WITH backward AS (
    SELECT o.track, o.begin_ns, o.begin_ns + o.dur_ns AS end_ns,
           regexp_extract(g.concrete, '"(\d{4,})"', 1) AS rows,
           list_product(list_transform(
               regexp_extract_all(regexp_extract(g.shapes, '^\[\[[^\]]*\], \[([^\]]*)\]', 1), '\d+'),
               lambda x: x::DOUBLE)) AS used
    FROM sel_ops o
    JOIN raw.op_identities i ON i.id = o.op
        AND regexp_matches(i.name, '^aten::(embedding_dense_backward|_embedding_bag_dense_backward)$')
    JOIN raw.signatures g ON g.id = o.signature
), dense AS (
    FROM backward WHERE TRY_CAST(rows AS BIGINT) >= greatest($least::BIGINT, 10 * used)
), touched AS (
    SELECT o.track, o.begin_ns, o.begin_ns + o.dur_ns AS end_ns
    FROM sel_ops o
    JOIN raw.op_identities i ON i.id = o.op AND starts_with(i.name, 'aten::')
    JOIN raw.signatures g ON g.id = o.signature
    WHERE (direction_name(i.direction) = 'optimizer' OR regexp_matches(i.name, '^aten::zero_$'))
      AND regexp_extract(g.shapes, '^\[\[(\d+), \d+\]', 1) IN (SELECT rows FROM dense)
    UNION ALL
    SELECT a.track, a.begin_ns, a.begin_ns + a.dur_ns
    FROM sel_annotations a
    JOIN raw.strings x ON x.id = a.name AND starts_with(x.text, 'Optimizer.zero_grad')
    WHERE EXISTS (FROM dense)
)
SELECT a.track::BIGINT AS track, t.rank::BIGINT AS rank, a.begin_ns::BIGINT AS begin_ns, a.end_ns::BIGINT AS end_ns,
       1::BIGINT AS ops
FROM (SELECT track, begin_ns, end_ns FROM dense UNION ALL FROM touched) a
JOIN raw.tracks t ON t.id = a.track
ORDER BY 1, 3
