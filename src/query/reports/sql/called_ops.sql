-- Ops of the range that other ops called.
SELECT id::INTEGER, op::INTEGER, parent_op::INTEGER, dur_ns::BIGINT FROM sel_ops WHERE parent_op >= 0
