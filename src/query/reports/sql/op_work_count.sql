SELECT count(*) FROM raw.op_work
