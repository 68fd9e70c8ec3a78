-- Forward work within backward ops: what was not kept is computed again.
SELECT o.track::BIGINT AS track, t.rank::BIGINT AS rank, o.begin_ns::BIGINT AS begin_ns,
       (o.begin_ns + o.dur_ns)::BIGINT AS end_ns, 1::BIGINT AS ops
FROM sel_ops o
JOIN raw.op_identities i ON i.id = o.op AND direction_name(i.direction) = 'fprop'
JOIN raw.ops p ON p.id = o.parent_op
JOIN raw.op_identities n ON n.id = p.op AND direction_name(n.direction) = 'bprop'
JOIN raw.tracks t ON t.id = o.track
ORDER BY 1, 3
