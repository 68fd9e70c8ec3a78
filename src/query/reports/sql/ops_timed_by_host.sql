-- Whether ops are oneDNN's primitives on GPUs ("onednn_gpu::matmul", "onednn_cpu2gpu::reorder"), whose times are those
-- that the host measured around them; and whether devices of which the source tells nothing may be no GPUs.
SELECT EXISTS (FROM raw.op_identities WHERE name LIKE 'onednn\_%' ESCAPE '\') AS timed_by_host,
       EXISTS (FROM raw.meta WHERE key = 'property.source.devices.kind' AND value = 'any') AS may_be_any
