-- Work of devices by the op that launched it (-1: none that is known), with the id of a kernel or of a text as its name.
SELECT coalesce(d.op_span, -1)::BIGINT AS op_span, (d.kind = device_kind('kernel'))::BIGINT AS kernel, d.name::BIGINT AS name,
       coalesce(r.number, 0)::BIGINT AS rank, sum(d.dur_ns)::BIGINT AS dur_ns, count(*)::BIGINT AS spans
FROM raw.device_spans d
JOIN chosen_tracks c ON c.track = d.track
JOIN raw.tracks t ON t.id = d.track
LEFT JOIN raw.ranks r ON r.id = t.rank
WHERE is_busy(d.kind) AND ($start IS NULL OR d.iteration BETWEEN $start AND $stop)
GROUP BY ALL
ORDER BY 1, 2, 3, 4
