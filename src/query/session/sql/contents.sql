-- What kinds of work the profile has, and the rules that it was made by.
SELECT EXISTS (FROM raw.ops) AS ops,
       EXISTS (FROM raw.device_spans WHERE is_busy(kind)) AS device_work,
       (SELECT count(*) FROM raw.devices) AS devices,
       (SELECT count(*) FROM raw.ranks) AS ranks,
       EXISTS (FROM raw.nvtx_ranges) OR EXISTS (FROM raw.annotations) AS ranges,
       EXISTS (FROM raw.diagnostics WHERE key = 'lost_device_work') AS work_lost,
       EXISTS (FROM raw.meta WHERE key = 'property.source.times') AS times_in_order,
       coalesce((SELECT any_value(value) FROM raw.meta WHERE key = 'property.source.host'), '') AS host_untold,
       EXISTS (FROM raw.api_calls) AS calls,
       coalesce((SELECT any_value(value) FROM raw.meta WHERE key = 'rules'), '') AS rules
