-- Counted work beside what counters saw. $by: 'kernel' (and op), 'op', 'layer'. Without counters what is expected of
-- all kernels; with them of those that were measured, so that both are of the same launches.
WITH sums AS (
    SELECT CASE WHEN $by = 'kernel' THEN m.kernel ELSE -1 END AS kernel,
           CASE WHEN $by = 'layer' THEN -1 ELSE m.op END AS op,
           CASE WHEN $by = 'layer' THEN coalesce(i.layer, -1) ELSE -1 END AS layer,
           count(*)::BIGINT AS kernels,
           (count(*) FILTER (WHERE m.measured))::BIGINT AS measured_kernels,
           sum(m.dur_ns)::BIGINT AS time_ns,
           round(sum(m.expected_flops) FILTER (WHERE m.measured OR NOT $has_counters)) AS expected_flops,
           round(sum(m.measured_flops)) AS measured_flops,
           -- Of the kernels that have both.
           round(sum(m.measured_flops) FILTER (WHERE m.expected_flops > 0))
               / nullif(round(sum(m.expected_flops) FILTER (WHERE m.measured_flops IS NOT NULL)), 0) AS flops_ratio,
           round(sum(m.expected_bytes) FILTER (WHERE m.measured OR NOT $has_counters)) AS expected_bytes,
           round(sum(m.measured_bytes)) AS measured_bytes,
           round(sum(m.measured_bytes) FILTER (WHERE m.expected_bytes > 0))
               / nullif(round(sum(m.expected_bytes) FILTER (WHERE m.measured_bytes IS NOT NULL)), 0) AS bytes_ratio,
           bool_or(m.winograd) AS winograd,
           bool_or(m.fft) AS fft,
           bool_or(m.uses_tc) AS uses_tc,
           bool_or(m.lacks_tensor_flops) AS lacks_tensor_flops
    FROM measured_kernels m
    LEFT JOIN raw.op_identities i ON i.id = m.op
    WHERE m.expected_flops IS NOT NULL OR m.measured
    GROUP BY ALL
)
SELECT k.label AS kernel_name,
       i.name AS op_name,
       coalesce(l.path, '') AS layer,
       s.kernels, s.measured_kernels, s.time_ns,
       s.expected_flops, s.measured_flops, s.flops_ratio,
       s.expected_bytes, s.measured_bytes, s.bytes_ratio,
       nullif(concat_ws('; ',
           CASE WHEN s.lacks_tensor_flops THEN 'the FLOPs of Tensor Cores were not counted' END,
           CASE WHEN s.flops_ratio < 0.9 AND s.winograd THEN 'Winograd multiplies less than the formula'
                WHEN s.flops_ratio < 0.9 AND s.fft THEN 'a transform does less than the formula'
                WHEN s.flops_ratio < 0.9 THEN 'fewer FLOPs than the formula counts: a part runs in kernels that were '
                    || 'not measured, or in another way than the formula assumes'
                WHEN s.flops_ratio > 1.1 AND s.uses_tc THEN 'sizes are filled up to whole tiles of Tensor Cores'
                WHEN s.flops_ratio > 1.1 THEN 'more FLOPs than the formula counts: functions such as exp take several, '
                    || 'or sizes are filled up to whole tiles' END,
           CASE WHEN s.bytes_ratio < 0.9 THEN 'a part of the data was in a cache'
                WHEN s.bytes_ratio > 1.5 THEN 'data moves more than once: it does not stay in a cache, or is '
                    || 'copied to a workspace' END), '') AS why,
       shown_shapes(i.shapes, $for_people) AS shapes
FROM sums s
LEFT JOIN raw.kernel_names k ON k.id = s.kernel
LEFT JOIN raw.op_identities i ON i.id = s.op
LEFT JOIN raw.layers l ON l.id = CASE WHEN s.layer >= 0 THEN s.layer ELSE i.layer END
