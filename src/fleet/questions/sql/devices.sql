-- Devices by product: how many worked, for how long, and how much of that they were busy.
SELECT coalesce(name, 'not told') AS device_name, count(DISTINCT run) AS runs_count, count(*) AS devices_count,
       sum(wall_ns) AS total_wall_ns, sum(busy_ns) AS total_busy_ns,
       100 * {{ratio(sum(busy_ns), sum(wall_ns))}} AS busy_pct
FROM {{devices}}
WHERE {{chosen}}
GROUP BY device_name
ORDER BY total_wall_ns DESC, device_name
{{limit}}
