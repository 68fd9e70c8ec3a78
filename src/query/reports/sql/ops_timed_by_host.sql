-- Whether ops are oneDNN's primitives on GPUs ("onednn_gpu::matmul", "onednn_cpu2gpu::reorder"), whose times are those
-- that the host measured around them; and what the source says of devices of which it tells nothing.
SELECT EXISTS (FROM raw.op_identities WHERE name LIKE 'onednn\_%' ESCAPE '\') AS timed_by_host,
       coalesce((SELECT any_value(value) FROM raw.meta WHERE key = 'property.source.devices'), '') AS untold
