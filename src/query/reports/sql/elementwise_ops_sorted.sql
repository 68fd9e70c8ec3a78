-- As elementwise_ops, for tables that come in another order than they are stored in.
SELECT track::BIGINT AS track, begin_ns::BIGINT AS begin_ns, (begin_ns + dur_ns)::BIGINT AS end_ns, id::BIGINT AS id,
       parent_op::BIGINT AS parent_op, op::BIGINT AS op, signature::BIGINT AS signature
FROM sel_ops
ORDER BY 1, 2, 4
