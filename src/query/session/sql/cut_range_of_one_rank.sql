-- As cut_range.sql, where the only rank has no gap between the chosen iterations: the bounds alone tell what is chosen,
-- and the number of an iteration is worked out only where somebody asks for it.
CREATE TEMP MACRO cut_spans(relation) AS TABLE
    SELECT a.* REPLACE (cut_number(0, a.begin_ns)::INTEGER AS iteration)
    FROM query_table('raw.' || relation) a
    WHERE a.begin_ns >= $begin_ns AND a.begin_ns < $end_ns;

CREATE TEMP VIEW sel_ops AS FROM cut_spans('ops');
CREATE TEMP VIEW sel_api AS FROM cut_spans('api_calls');
CREATE TEMP VIEW sel_annotations AS FROM cut_spans('annotations');
CREATE TEMP VIEW sel_modules AS FROM cut_spans('module_calls');

CREATE TEMP VIEW sel_device AS
SELECT a.rowid AS place, a.* REPLACE (cut_number(0, a.host_ns)::INTEGER AS iteration)
FROM raw.device_spans a
WHERE a.host_ns >= $begin_ns AND a.host_ns < $end_ns
