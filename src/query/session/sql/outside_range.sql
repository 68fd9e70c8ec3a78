-- Counts and sums of the whole profile, then those of the range; one row.
SELECT a.*, b.*, c.*, d.*, e.*, f.*, g.*, h.*
FROM (SELECT count(*), sum(dur_ns)::BIGINT FROM raw.device_spans WHERE is_busy(kind)) a,
     (SELECT count(*), sum(dur_ns)::BIGINT FROM sel_device WHERE is_busy(kind)) b,
     (SELECT sum(calls)::BIGINT, sum(self_cpu_ns)::BIGINT FROM raw.op_stats) c,
     (SELECT sum(calls)::BIGINT, sum(self_cpu_ns)::BIGINT FROM sel_stats) d,
     (SELECT count(*), sum(dur_ns)::BIGINT FROM raw.api_calls) e,
     (SELECT count(*), sum(dur_ns)::BIGINT FROM sel_api) f,
     (SELECT count(*) FROM raw.annotations WHERE NOT (has_flag(flags, 'unfinished') OR has_flag(flags, 'instant'))) g,
     (SELECT count(*) FROM sel_annotations WHERE NOT (has_flag(flags, 'unfinished') OR has_flag(flags, 'instant'))) h
