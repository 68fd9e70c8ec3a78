-- The kernels that a table is about: those that an op launched, itself or by what it calls.
CREATE OR REPLACE TEMP VIEW kernel_spans AS
FROM sel_device
WHERE kind = device_kind('kernel') AND (op = $op OR op_span IN (SELECT id FROM under_op))
