-- Calls and device work that touch the window from $from_ns to $to_ns; either may be NULL.
CREATE TEMP MACRO in_window(begin_ns, dur_ns) AS
    ($from_ns IS NULL OR begin_ns + dur_ns >= $from_ns) AND ($to_ns IS NULL OR begin_ns <= $to_ns);

CREATE TEMP VIEW st_api AS
SELECT id, track, begin_ns, begin_ns + dur_ns AS end_ns, dur_ns, name, correlation, result
FROM raw.api_calls
WHERE NOT has_flag(flags, 'unfinished') AND in_window(begin_ns, dur_ns);

CREATE TEMP VIEW st_gpu AS
SELECT rowid AS rid, kind, track, begin_ns, begin_ns + dur_ns AS end_ns, dur_ns, name, launch, correlation, config,
       bytes, transfer
FROM raw.device_spans
WHERE is_work(kind) AND in_window(begin_ns, dur_ns);

-- Graphs that were recorded as a whole keep a device busy, though their kernels are not known.
CREATE TEMP VIEW st_busy AS
SELECT track, begin_ns, begin_ns + dur_ns AS end_ns
FROM raw.device_spans
WHERE is_busy(kind) AND in_window(begin_ns, dur_ns)
