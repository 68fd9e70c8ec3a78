-- Own time of the ops of a rank, by iteration.
SELECT o.op::INTEGER, o.iteration::INTEGER, count(*)::BIGINT AS calls, sum(o.self_ns)::BIGINT AS ns
FROM sel_ops o
JOIN raw.tracks t ON t.id = o.track
JOIN raw.ranks r ON r.id = t.rank
WHERE coalesce(r.number, 0) = $rank
GROUP BY ALL
ORDER BY ALL
