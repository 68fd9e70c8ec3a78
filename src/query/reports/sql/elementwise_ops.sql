-- Ops as they are stored, by thread and begin. What they are is looked up beside: a join would bring them in another
-- order, and to sort millions takes longer than all else here.
SELECT track::BIGINT AS track, begin_ns::BIGINT AS begin_ns, (begin_ns + dur_ns)::BIGINT AS end_ns, id::BIGINT AS id,
       parent_op::BIGINT AS parent_op, op::BIGINT AS op, signature::BIGINT AS signature
FROM sel_ops
