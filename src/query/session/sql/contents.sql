-- What kinds of work the profile has.
SELECT EXISTS (FROM raw.ops) AS ops,
       EXISTS (FROM raw.device_spans WHERE is_work(kind)) AS device_work,
       (SELECT count(*) FROM raw.devices) AS devices,
       (SELECT count(*) FROM raw.ranks) AS ranks,
       EXISTS (FROM raw.nvtx_ranges) OR EXISTS (FROM raw.annotations) AS ranges,
       EXISTS (FROM raw.diagnostics WHERE key = 'lost_device_work') AS work_lost
