-- Clocks of multiprocessors that were sampled in the range, of each device at work: the 10th and 90th percentile.
SELECT c.device, c.name, quantile_cont(c.value, 0.1) AS low, quantile_cont(c.value, 0.9) AS high, count(*) AS samples
FROM main.counters c
JOIN raw.ranks r ON r.number = c.rank
JOIN sel_wall w ON w.rank = r.id AND c.time_ns >= w.begin_ns AND c.time_ns < w.end_ns
WHERE c.value > 0 AND regexp_matches(c.name, '(?i)^(sm|gpc|graphics|gfx|core|sclk).{0,3}(clock|freq)|^sclk$')
GROUP BY ALL
HAVING count(*) >= 10
ORDER BY high / low DESC
LIMIT 1
