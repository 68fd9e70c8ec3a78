SELECT id::INTEGER AS id, track::INTEGER AS track, op::INTEGER AS op, parent_op::INTEGER AS parent,
       forward::INTEGER AS forward, iteration::INTEGER AS iteration, begin_ns::BIGINT AS begin_ns,
       (begin_ns + dur_ns)::BIGINT AS end_ns, sequence::BIGINT AS sequence
FROM raw.ops
WHERE NOT has_flag(flags, 'instant')
ORDER BY id
