-- A row for each op that could use Tensor Cores. A kernel counts for the innermost eligible op around its launch
-- alone: ops that could use Tensor Cores call each other (linear, addmm), and the rows of the table add up.
WITH RECURSIVE eligible AS (
    SELECT s.op,
           rank_group(s.rank, $ranks_by) AS rank,
           CASE WHEN $by_device THEN s.device ELSE -1 END AS device,
           sum(s.calls)::BIGINT AS calls, sum(s.kernels) AS kernels
    FROM sel_stats s
    JOIN raw.op_identities i ON i.id = s.op
    WHERE i.tc_eligible
    GROUP BY ALL
), launched AS (
    SELECT op_span,
           CASE op_span WHEN -1 THEN op END AS op,
           CASE op_span WHEN -1 THEN track END AS track,
           name, count(*) AS kernels, sum(dur_ns) AS ns
    FROM sel_device
    WHERE kind = device_kind('kernel') AND has_flag(flags, 'in_eligible_op')
    GROUP BY ALL
), climb AS (
    SELECT o.id, o.op, o.track, o.parent_op, i.tc_eligible AS found, e.name, e.kernels, e.ns
    FROM launched e
    JOIN raw.ops o ON o.id = e.op_span
    JOIN raw.op_identities i ON i.id = o.op
    UNION ALL
    SELECT o.id, o.op, o.track, o.parent_op, i.tc_eligible, c.name, c.kernels, c.ns
    FROM climb c
    JOIN raw.ops o ON o.id = c.parent_op
    JOIN raw.op_identities i ON i.id = o.op
    WHERE NOT c.found
), pieces AS (
    SELECT o.op, o.track, coalesce(w.device, -1) AS device, o.name, o.kernels, o.ns
    FROM climb o
    LEFT JOIN raw.op_work w ON w.id = o.id
    WHERE o.found
    UNION ALL
    SELECT o.op, o.track, -1 AS device, o.name, o.kernels, o.ns
    FROM launched o
    JOIN raw.op_identities i ON i.id = o.op AND i.tc_eligible
), by_name AS (
    SELECT p.op,
           rank_group(t.rank, $ranks_by) AS rank,
           CASE WHEN $by_device THEN p.device ELSE -1 END AS device,
           p.name, sum(p.kernels)::BIGINT AS kernels, sum(p.ns)::BIGINT AS ns
    FROM pieces p
    JOIN raw.tracks t ON t.id = p.track
    GROUP BY ALL
), sums AS (
    SELECT s.op, s.rank, s.device,
           sum(s.kernels)::BIGINT AS kernels,
           sum(s.ns)::BIGINT AS ns,
           (sum(s.kernels) FILTER (WHERE n.uses_tc = tc_use('yes')))::BIGINT AS tc_kernels,
           (sum(s.ns) FILTER (WHERE n.uses_tc = tc_use('yes')))::BIGINT AS tc_ns,
           (sum(s.kernels) FILTER (WHERE n.uses_tc = tc_use('unknown')))::BIGINT AS unknown_kernels,
           (sum(s.ns) FILTER (WHERE n.uses_tc = tc_use('unknown')))::BIGINT AS unknown_ns,
           string_agg(n.label, '; ' ORDER BY n.label) FILTER (WHERE n.uses_tc = tc_use('yes')) AS tc_names,
           string_agg(n.label, '; ' ORDER BY n.label) FILTER (WHERE n.uses_tc <> tc_use('yes')) AS other_names,
           string_agg(DISTINCT tc_evidence_name(n.tc_evidence), ', ') FILTER (WHERE n.uses_tc = tc_use('yes'))
               AS evidence
    FROM by_name s
    JOIN raw.kernel_names n ON n.id = s.name
    GROUP BY s.op, s.rank, s.device
)
SELECT gr.number AS rank, nullif(gr.host, '') AS host, gd.number AS device,
       s.op AS op_id,
       i.name AS op_name,
       direction_name(i.direction) AS direction,
       i.type AS op_type,
       CASE WHEN k.tc_kernels > 0 THEN 'yes' WHEN k.unknown_kernels > 0 THEN 'unknown' ELSE 'no' END AS uses_tc,
       coalesce(k.ns, 0) AS total_gpu_time_ns,
       coalesce(k.tc_ns, 0) AS tc_gpu_time_ns,
       coalesce(k.ns, 0) - coalesce(k.tc_ns, 0) - coalesce(k.unknown_ns, 0) AS non_tc_gpu_time_ns,
       coalesce(k.unknown_ns, 0) AS unknown_tc_gpu_time_ns,
       CASE WHEN coalesce(k.unknown_ns, 0) = 0 THEN 100.0 * coalesce(k.tc_ns, 0) / nullif(k.ns, 0) END
           AS tc_utilization_pct,
       100.0 * coalesce(k.tc_ns, 0) / nullif(k.ns, 0) AS tc_utilization_low_pct,
       100.0 * (coalesce(k.tc_ns, 0) + coalesce(k.unknown_ns, 0)) / nullif(k.ns, 0) AS tc_utilization_high_pct,
       coalesce(k.kernels, 0) AS kernels,
       coalesce(k.tc_kernels, 0) AS tc_kernels,
       k.tc_names AS tc_kernel_names,
       coalesce(k.kernels, 0) - coalesce(k.tc_kernels, 0) - coalesce(k.unknown_kernels, 0) AS non_tc_kernels,
       k.other_names AS non_tc_kernel_names,
       coalesce(k.unknown_kernels, 0) AS unknown_tc_kernels,
       k.evidence AS tc_evidence,
       s.calls,
       nullif(i.dtypes, '') AS dtypes,
       shown_shapes(i.shapes, $for_people) AS shapes,
       l.path AS layer
FROM eligible s
JOIN raw.op_identities i ON i.id = s.op
LEFT JOIN raw.layers l ON l.id = i.layer
LEFT JOIN sums k ON k.op = s.op AND k.rank = s.rank AND k.device = s.device
LEFT JOIN raw.ranks gr ON gr.id = s.rank
LEFT JOIN raw.devices gd ON gd.id = s.device
-- Ops all of whose kernels count for eligible ones inside them have no row; people see none where nothing ran.
WHERE (k.kernels > 0 OR s.kernels = 0) AND ($device_work OR NOT $for_people)
