CREATE TEMP VIEW sel_streams AS FROM raw.stream_stats WHERE in_range(iteration)
