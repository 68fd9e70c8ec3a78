-- The kernels of convolutions whose sizes come $calls times or more, on ranks of which every convolution says that the
-- library chose without a search (arguments 10 and 12 of aten::_convolution: benchmark, and whether cuDNN or MIOpen may
-- be used): of each the part beyond what its counted work needs, all of it where that is not known or estimated.
-- PyTorch's own kernels nobody chooses.
WITH said AS (
    SELECT t.rank, regexp_extract_all(g.concrete, '"([^"]*)"', 1) AS arguments
    FROM sel_ops o
    JOIN raw.tracks t ON t.id = o.track
    JOIN raw.op_identities i ON i.id = o.op AND i.name = 'aten::_convolution'
    JOIN raw.signatures g ON g.id = o.signature
), unsearched AS (
    SELECT rank
    FROM said
    GROUP BY rank
    HAVING bool_and(coalesce(arguments[10] = 'False' AND arguments[12] = 'True', false))
), calls AS (
    SELECT t.rank, o.id, count(*) OVER (PARTITION BY t.rank, i.name, o.signature) AS calls
    FROM sel_ops o
    JOIN raw.tracks t ON t.id = o.track
    JOIN raw.op_identities i ON i.id = o.op
    SEMI JOIN unsearched u ON u.rank = t.rank
    WHERE o.signature >= 0
      AND regexp_matches(i.name, '^aten::((cudnn|miopen)_(depthwise_)?convolution(_transpose)?|convolution_backward)$')
)
SELECT c.rank::BIGINT AS rank,
       (d.begin_ns + floor(d.dur_ns * least(coalesce(n.bound_ns / n.time_ns, 0), 1)))::BIGINT AS begin_ns,
       (d.begin_ns + d.dur_ns)::BIGINT AS end_ns
FROM sel_device d
JOIN calls c ON c.id = d.op_span AND c.calls >= $calls
JOIN raw.kernel_names k ON k.id = d.name AND NOT contains(k.name, 'at::native::')
LEFT JOIN bounds_of_kernels n ON n.rank = c.rank AND n.op = d.op AND n.kernel = d.name
WHERE d.kind = device_kind('kernel')
