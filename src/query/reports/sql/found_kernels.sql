-- The kernels that a table is about: those in whose kernel or op a text was found.
CREATE OR REPLACE TEMP VIEW kernel_spans AS
FROM sel_device
WHERE kind = device_kind('kernel') AND (name IN (FROM found_names) OR op IN (FROM found_ops))
