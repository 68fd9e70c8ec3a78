SELECT count(*) FROM raw.device_spans WHERE is_busy(kind)
