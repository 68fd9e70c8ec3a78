CREATE TEMP TABLE cut_streams AS FROM raw.stream_stats LIMIT 0;

CREATE TEMP VIEW sel_streams AS FROM cut_streams
