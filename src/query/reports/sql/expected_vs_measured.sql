-- No source that is read so far has counters of FLOPs or traffic of its kernels.
WITH counted AS (
    SELECT s.kernel, s.op, sum(s.spans)::BIGINT AS kernels, sum(s.time_ns)::BIGINT AS time_ns,
           round(sum(s.share * w.flops)) AS flops, round(sum(s.share * w.bytes_min)) AS bytes
    FROM sel_work s
    LEFT JOIN raw.works w ON w.id = s.work
    WHERE s.kernel >= 0 AND s.work >= 0
    GROUP BY ALL
)
SELECT k.label AS kernel_name,
       i.name AS op_name,
       x.kernels, x.time_ns,
       x.flops AS expected_flops,
       NULL::DOUBLE AS measured_flops,
       NULL::DOUBLE AS flops_ratio,
       x.bytes AS expected_bytes,
       NULL::DOUBLE AS measured_bytes,
       NULL::DOUBLE AS bytes_ratio,
       shown_shapes(i.shapes, $for_people) AS shapes
FROM counted x
JOIN raw.kernel_names k ON k.id = x.kernel
JOIN raw.op_identities i ON i.id = x.op
