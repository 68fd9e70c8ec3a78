-- How many spans of each track the statement of that name reads (module_spans.sql and its like).
SELECT 'module_spans' AS source, track, count(*) AS spans FROM raw.module_calls GROUP BY track
UNION ALL
SELECT 'op_spans', track, count(*) FROM raw.ops GROUP BY track
UNION ALL
SELECT 'other_call_spans', track, count(*) FROM raw.other_spans WHERE kind <> host_kind('os_runtime') GROUP BY track
UNION ALL
SELECT 'os_call_spans', track, count(*) FROM raw.other_spans WHERE kind = host_kind('os_runtime') GROUP BY track
UNION ALL
SELECT 'api_call_spans', track, count(*) FROM raw.api_calls GROUP BY track
UNION ALL
SELECT 'annotation_spans', track, count(*) FROM raw.annotations GROUP BY track
UNION ALL
SELECT 'python_spans', track, count(*) FROM raw.python_frames GROUP BY track
UNION ALL
SELECT 'device_work_spans', track, count(*) FROM raw.device_spans WHERE kind <> device_kind('sync') GROUP BY track
UNION ALL
SELECT 'device_wait_spans', track, count(*) FROM raw.device_spans WHERE kind = device_kind('sync') GROUP BY track
