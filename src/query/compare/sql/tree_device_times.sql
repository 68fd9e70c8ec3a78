-- Device work of a rank, by the op that it counts for, its name and the iteration that launched it.
SELECT d.op::INTEGER, (d.kind = device_kind('kernel'))::BOOLEAN AS kernel, d.name::INTEGER, d.iteration::INTEGER,
       count(*)::BIGINT AS calls, sum(d.dur_ns)::BIGINT AS ns
FROM sel_device d
JOIN raw.tracks t ON t.id = d.track
JOIN raw.ranks r ON r.id = t.rank
WHERE coalesce(r.number, 0) = $rank AND is_busy(d.kind)
GROUP BY ALL
ORDER BY ALL
