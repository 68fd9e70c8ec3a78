-- What kinds of work the profile has, and the rules that it was made by. One look after another: as subqueries of one
-- row DuckDB seeks an order to join them in, which takes longer than all else that it does for them.
SELECT bool_or(found = 'op') AS ops,
       bool_or(found = 'device_work') AS device_work,
       sum(number) FILTER (found = 'device')::BIGINT AS devices,
       sum(number) FILTER (found = 'rank')::BIGINT AS ranks,
       bool_or(found = 'range') AS ranges,
       coalesce(bool_or(found = 'work_lost' OR found = 'device_sign'), false) AS work_lost,
       coalesce(any_value(words) FILTER (found = 'times'), '') AS times,
       coalesce(any_value(words) FILTER (found = 'host_untold'), '') AS host_untold,
       bool_or(found = 'call') AS calls,
       coalesce(any_value(words) FILTER (found = 'rules'), '') AS rules,
       coalesce(any_value(words) FILTER (found = 'not_one_job'), '') AS not_one_job,
       bool_or(found = 'nothing_known') AS nothing_known,
       coalesce(any_value(words) FILTER (found = 'devices_untold'), '') AS devices_untold,
       bool_or(found = 'recorded_here') AS recorded_here,
       bool_or(found IN ('nothing_known', 'nothing_recorded')) AS nothing_told
FROM (
    SELECT 'device' AS found, count(*) AS number, NULL AS words FROM raw.devices
    UNION ALL SELECT 'rank', count(*), NULL FROM raw.ranks
    UNION ALL (SELECT 'op', 1, NULL FROM raw.ops LIMIT 1)
    UNION ALL (SELECT 'device_work', 1, NULL FROM raw.device_spans WHERE is_busy(kind) LIMIT 1)
    UNION ALL (SELECT 'range', 1, NULL FROM raw.nvtx_ranges LIMIT 1)
    UNION ALL (SELECT 'range', 1, NULL FROM raw.annotations LIMIT 1)
    UNION ALL (SELECT 'work_lost', 1, NULL FROM raw.diagnostics WHERE key = 'lost_device_work' LIMIT 1)
    -- Names of libraries that run on devices alone, and memory of devices.
    UNION ALL (SELECT 'device_sign', 1, NULL FROM raw.op_identities
               WHERE regexp_matches(name, '^(aten::_?(cudnn_(convolution|batch_norm|rnn|affine|grid)|miopen_)|nccl:)')
                     OR name = 'aten::record_stream'
               LIMIT 1)
    UNION ALL (SELECT 'device_sign', 1, NULL FROM raw.memory_events WHERE device_type <> 0 LIMIT 1)
    UNION ALL (SELECT 'not_one_job', 1, text FROM raw.diagnostic_places WHERE key = 'not_one_job' LIMIT 1)
    UNION ALL (SELECT 'nothing_known', 1, NULL FROM raw.diagnostics WHERE key = 'nothing_known' LIMIT 1)
    UNION ALL (SELECT 'nothing_recorded', 1, NULL FROM raw.diagnostics WHERE key = 'nothing_recorded' LIMIT 1)
    UNION ALL (SELECT 'times', 1, value FROM raw.meta WHERE key = 'property.source.times' LIMIT 1)
    UNION ALL (SELECT 'host_untold', 1, value FROM raw.meta WHERE key = 'property.source.host' LIMIT 1)
    UNION ALL (SELECT 'devices_untold', 1, value FROM raw.meta WHERE key = 'property.source.devices' LIMIT 1)
    UNION ALL (SELECT 'recorded_here', 1, NULL FROM raw.meta WHERE key = 'producer' AND value ILIKE 'opsight%' LIMIT 1)
    UNION ALL (SELECT 'call', 1, NULL FROM raw.api_calls LIMIT 1)
    UNION ALL SELECT 'rules', 1, value FROM raw.meta WHERE key = 'rules'
)
