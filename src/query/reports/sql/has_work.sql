SELECT EXISTS (FROM raw.work_stats) OR NOT EXISTS (FROM raw.op_stats)
