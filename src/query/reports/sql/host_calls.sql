-- Calls of the system, of libraries and so on that ended.
CREATE TEMP VIEW host_calls AS
SELECT *, begin_ns AS time_ns
FROM raw.other_spans
WHERE NOT has_flag(flags, 'unfinished')
