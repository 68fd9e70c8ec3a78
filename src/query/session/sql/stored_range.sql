-- The relations of a session for iterations as they are stored.
CREATE TEMP VIEW sel_ops AS FROM raw.ops WHERE in_range(iteration);

CREATE TEMP VIEW sel_device AS SELECT rowid AS place, * FROM raw.device_spans WHERE in_range(iteration);

CREATE TEMP VIEW sel_api AS FROM raw.api_calls WHERE in_range(iteration);

CREATE TEMP VIEW sel_annotations AS FROM raw.annotations WHERE in_range(iteration);

CREATE TEMP VIEW sel_modules AS FROM raw.module_calls WHERE in_range(iteration);

CREATE TEMP VIEW sel_stats AS FROM raw.op_stats WHERE in_range(iteration);

CREATE TEMP VIEW sel_iteration_ops AS
SELECT rank, iteration, sum(calls)::BIGINT AS calls, sum(self_cpu_ns)::BIGINT AS self_cpu_ns
FROM sel_stats
GROUP BY ALL
