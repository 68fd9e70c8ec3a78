-- Work that was launched before $end_ns and not done by $begin_ns.
SELECT d.track::INTEGER AS track, d.begin_ns, d.dur_ns, d.kind::INTEGER AS kind, d.name::INTEGER AS name,
       d.launch::INTEGER AS launch, d.op::INTEGER AS op, d.host_ns,
       (coalesce(x.from_kind, 7) IN (-1, 0, 4, 7) OR coalesce(x.to_kind, 7) IN (-1, 0, 4, 7))::INTEGER AS pageable,
       (d.collective >= 0 OR coalesce(k.class = kernel_class('communication'), false))::INTEGER AS collective,
       (d.kind <> device_kind('kernel') OR coalesce(w.memory_ns > w.math_ns, false))::INTEGER AS of_memory,
       d.rowid::INTEGER AS span, (d.op_span = -1)::INTEGER AS outside
FROM raw.device_spans d
JOIN raw.tracks t ON t.id = d.track
LEFT JOIN raw.transfers x ON x.id = d.transfer
LEFT JOIN raw.kernel_names k ON k.id = d.name AND d.kind = device_kind('kernel')
LEFT JOIN raw.works w ON w.id = d.work
WHERE t.rank = $rank AND t.kind = track_kind('stream') AND is_busy(d.kind) AND d.host_ns < $end_ns
  AND (d.host_ns >= $begin_ns OR d.begin_ns + d.dur_ns > $begin_ns)
ORDER BY d.track, d.begin_ns, d.dur_ns DESC, d.rowid
