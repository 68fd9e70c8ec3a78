-- Ops with what they call of their own: parents first.
SELECT o.id::BIGINT AS id, coalesce(o.parent_op, -1)::BIGINT AS parent, o.op::BIGINT AS op, o.self_ns::BIGINT AS self_ns,
       coalesce(r.number, 0)::BIGINT AS rank
FROM raw.ops o
JOIN chosen_tracks c ON c.track = o.track
JOIN raw.tracks t ON t.id = o.track
LEFT JOIN raw.ranks r ON r.id = t.rank
WHERE $start IS NULL OR o.iteration BETWEEN $start AND $stop
ORDER BY o.id
