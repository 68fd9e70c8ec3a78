-- Files of older versions have none of any range.
SELECT EXISTS (FROM raw.stream_stats) AS found
