-- As cut_range.sql, where the only rank has no gap between the chosen iterations: the bounds alone tell what is chosen,
-- and the number of an iteration is worked out only where somebody asks for it.
CREATE TEMP VIEW sel_ops AS
SELECT a.* REPLACE (cut_number(0, a.begin_ns)::INTEGER AS iteration)
FROM raw.ops a
WHERE a.begin_ns >= $begin_ns AND a.begin_ns < $end_ns;

CREATE TEMP VIEW sel_device AS
SELECT a.rowid AS place, a.* REPLACE (cut_number(0, a.host_ns)::INTEGER AS iteration)
FROM raw.device_spans a
WHERE a.host_ns >= $begin_ns AND a.host_ns < $end_ns;

CREATE TEMP VIEW sel_api AS
SELECT a.* REPLACE (cut_number(0, a.begin_ns)::INTEGER AS iteration)
FROM raw.api_calls a
WHERE a.begin_ns >= $begin_ns AND a.begin_ns < $end_ns;

CREATE TEMP VIEW sel_annotations AS
SELECT a.* REPLACE (cut_number(0, a.begin_ns)::INTEGER AS iteration)
FROM raw.annotations a
WHERE a.begin_ns >= $begin_ns AND a.begin_ns < $end_ns;

CREATE TEMP VIEW sel_modules AS
SELECT a.* REPLACE (cut_number(0, a.begin_ns)::INTEGER AS iteration)
FROM raw.module_calls a
WHERE a.begin_ns >= $begin_ns AND a.begin_ns < $end_ns
