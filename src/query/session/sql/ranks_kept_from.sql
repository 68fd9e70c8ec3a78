-- Of each rank whose oldest records made room for newer ones: the begin of the last iteration that this cut.
SELECT rank, max(begin_ns) AS begin_ns
FROM raw.iterations
WHERE warmup AND warmup_reason = $reason
GROUP BY rank
ORDER BY rank
