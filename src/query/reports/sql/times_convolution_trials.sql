-- The kernels of convolutions that launch $kernels different ones or more.
WITH trials AS (
    SELECT d.op_span
    FROM sel_device d
    JOIN raw.op_identities i ON i.id = d.op
    WHERE d.kind = device_kind('kernel') AND d.op_span >= 0
      AND regexp_matches(i.name, 'cudnn_convolution|miopen_convolution|convolution_backward')
    GROUP BY d.op_span
    HAVING count(DISTINCT d.name) >= $kernels
)
SELECT t.rank::BIGINT AS rank, d.begin_ns::BIGINT AS begin_ns, (d.begin_ns + d.dur_ns)::BIGINT AS end_ns
FROM sel_device d
JOIN raw.tracks t ON t.id = d.track
SEMI JOIN trials s ON s.op_span = d.op_span
WHERE d.kind = device_kind('kernel')
