-- Launches of CUDA graphs that were recorded as a whole.
SELECT count(*) AS launches, coalesce(sum(dur_ns), 0)::BIGINT AS ns
FROM raw.device_spans
WHERE kind = device_kind('graph')
