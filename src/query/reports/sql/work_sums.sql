-- Sums of counted work. $by says of what: 'op', 'op and kernel', 'kernel', 'type', 'shapes' (ops of one name, shapes
-- and direction), 'layer' (and direction) or 'subtree' (of each layer); the other keys are -1 or NULL. Sums are
-- rounded, since the last digits of a sum of fractions depend on the order of its terms: the same range must give the
-- same numbers, however it was asked for.
CREATE OR REPLACE TEMP TABLE work_sums AS
SELECT CASE WHEN $by IN ('op', 'op and kernel') THEN s.op ELSE -1 END AS op,
       CASE WHEN $by IN ('kernel', 'op and kernel') THEN s.kernel ELSE -1 END AS kernel,
       CASE WHEN $by = 'type' THEN i.type END AS type,
       CASE WHEN $by = 'shapes' THEN i.name END AS name,
       CASE WHEN $by = 'shapes' THEN i.shapes END AS shapes,
       CASE WHEN $by IN ('shapes', 'layer') THEN i.direction ELSE -1 END AS direction,
       CASE WHEN $by = 'layer' THEN i.layer WHEN $by = 'subtree' THEN a.ancestor ELSE -1 END AS layer,
       rank_group(s.rank, $ranks_by) AS rank,
       CASE WHEN $by_device THEN s.device ELSE -1 END AS device,
       max(w.precision) AS precision,
       CASE WHEN $by = 'shapes' THEN count(DISTINCT i.layer) END AS layers,
       sum(s.spans)::BIGINT AS spans,
       sum(s.time_ns)::BIGINT AS time_ns,
       (sum(s.time_ns) FILTER (WHERE s.work >= 0))::BIGINT AS work_ns,
       -- As in the summary: what kernels of other classes do, as collectives, are no FLOPs of the model.
       coalesce(sum(s.time_ns) FILTER (WHERE s.work < 0 AND (s.device < 0 OR k.class = kernel_class('compute'))),
                0)::BIGINT AS uncounted_ns,
       round(sum(s.share * w.flops)) AS all_flops,
       round(sum(s.share * w.bytes_min)) AS bytes,
       (sum(s.time_ns) FILTER (WHERE s.work >= 0 AND is_believed(w.memory_ns, w.bound_ns)))::BIGINT AS believed_ns,
       round(sum(s.share * w.bytes_min) FILTER (WHERE is_believed(w.memory_ns, w.bound_ns))) AS believed_bytes,
       (sum(s.time_ns) FILTER (WHERE w.bound_ns >= 0))::BIGINT AS bounded_ns,
       round(sum(s.share * w.flops) FILTER (WHERE w.bound_ns >= 0)) AS bounded_flops,
       round(sum(s.share * w.math_ns) FILTER (WHERE w.bound_ns >= 0), 3) AS math_ns,
       round(sum(s.share * w.memory_ns) FILTER (WHERE w.bound_ns >= 0), 3) AS memory_ns,
       round(sum(s.share * w.bound_ns) FILTER (WHERE w.bound_ns >= 0), 3) AS bound_ns,
       -- What the last cache can hold of it. A copy has a share for each of its bytes.
       round(sum(CASE
                     WHEN work_kind_name(w.kind) = 'move' AND w.bytes_min <= 2
                     THEN least(s.share * w.bytes_min, s.spans * m.l2_bytes)
                     ELSE s.share * least(w.bytes_min, m.l2_bytes)
                 END * 1e9 / nullif(m.bandwidth, 0)) FILTER (WHERE w.bound_ns >= 0), 3) AS cached_ns,
       -- What the last cache needs to move all of it; null where that is not known of every device.
       CASE WHEN bool_and(c.bandwidth IS NOT NULL) FILTER (WHERE w.bound_ns >= 0)
            THEN round(sum(s.share * w.memory_ns * m.bandwidth / c.bandwidth) FILTER (WHERE w.bound_ns >= 0), 3)
       END AS inner_ns,
       max(c.name) FILTER (WHERE w.bound_ns >= 0) AS cache_name,
       min(c.bandwidth) FILTER (WHERE w.bound_ns >= 0) AS cache_rate,
       coalesce(bool_or(w.estimate), false) AS estimate,
       string_agg(DISTINCT nullif(w.note, ''), '; ' ORDER BY nullif(w.note, '')) AS note,
       coalesce(bool_and(w.bytes_min <= m.l2_bytes)
                FILTER (WHERE work_kind_name(w.kind) IN ('matrix', 'vector') OR w.bytes_min > 2), false) AS small,
       coalesce(bool_or(s.kernel IN (SELECT id FROM raw.kernel_names WHERE name ILIKE '%winograd%')), false) AS winograd
FROM sel_work s
LEFT JOIN raw.op_identities i ON i.id = s.op
LEFT JOIN (FROM layers_above WHERE $by = 'subtree') a ON a.layer = i.layer
LEFT JOIN raw.works w ON w.id = s.work
LEFT JOIN raw.kernel_names k ON k.id = s.kernel
LEFT JOIN raw.device_models m ON m.device = w.device
-- The last cache, where it is known how much that moves.
LEFT JOIN sel_levels c ON c.model = m.model AND c.place = 0 AND c.shared
WHERE s.kernel >= 0 OR $by NOT IN ('kernel', 'op and kernel')
GROUP BY ALL
