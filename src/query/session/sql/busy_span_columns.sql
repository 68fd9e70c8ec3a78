-- In stored order, which is by (stream, begin).
SELECT track::INTEGER, begin_ns::BIGINT, dur_ns::BIGINT, host_ns::BIGINT, launch::INTEGER,
       (CASE WHEN kind = device_kind('kernel') THEN config ELSE -1 END)::INTEGER
FROM raw.device_spans
WHERE is_busy(kind)
