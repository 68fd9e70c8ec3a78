SELECT pid, tid, device, count(*) AS launches, count(queue_ns) AS queued,
       avg(total_ns), median(total_ns)::DOUBLE, min(total_ns), max(total_ns), spread(total_ns),
       avg(api_ns), median(api_ns)::DOUBLE, min(api_ns), max(api_ns), spread(api_ns),
       avg(queue_ns), median(queue_ns)::DOUBLE, min(queue_ns), max(queue_ns), spread(queue_ns),
       avg(kernel_ns), median(kernel_ns)::DOUBLE, min(kernel_ns), max(kernel_ns), spread(kernel_ns),
       api, kernel
FROM kernel_launches($kernel_name)
GROUP BY pid, tid, device, api, kernel
ORDER BY avg(total_ns) DESC, kernel, api, pid, tid, device
