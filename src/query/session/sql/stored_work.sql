CREATE TEMP VIEW sel_work AS FROM raw.work_stats WHERE in_range(iteration)
