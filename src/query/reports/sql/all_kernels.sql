-- The kernels that a table is about: all.
CREATE OR REPLACE TEMP VIEW kernel_spans AS
FROM sel_device
WHERE kind = device_kind('kernel')
