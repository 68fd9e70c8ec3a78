-- Functions whose calls a summary of nvprof tells only as sums, which are counters (import/nvprof/printed_sums.cpp).
SELECT count(DISTINCT pid_text)
FROM raw.tracks
WHERE tid_text = 'API calls'
