WITH classes AS (
    SELECT *, CASE WHEN name = 'Memory' THEN (SELECT told FROM copies_told) ELSE NOT lost END AS told
    FROM (VALUES (0, 'All device work'),
                 (1, 'Kernels using TC'),
                 (2, 'Kernels whose name does not tell'),
                 (3, 'Communication'),
                 (4, 'Memory'),
                 (5, 'All other kernels'),
                 (6, 'Graphs recorded as a whole')) v(place, name)
    CROSS JOIN kernels_lost
), work AS (
    -- Communication computes next to nothing: it is not a kernel that left Tensor Cores unused.
    SELECT CASE WHEN is_transfer(kind) THEN 'Memory'
                WHEN kind = device_kind('graph') THEN 'Graphs recorded as a whole'
                WHEN class = kernel_class('communication') THEN 'Communication'
                WHEN uses_tc = tc_use('yes') THEN 'Kernels using TC'
                WHEN uses_tc = tc_use('unknown') THEN 'Kernels whose name does not tell'
                ELSE 'All other kernels'
           END AS class,
           sum(gpu_ns) AS gpu_ns, sum(api_ns) AS cpu_ns, sum(count) AS count
    FROM summary_device
    GROUP BY ALL
)
SELECT c.place, c.name,
       CASE WHEN bool_or(c.told) THEN coalesce(sum(w.gpu_ns), 0)::BIGINT END AS gpu_time_ns,
       -- What launched them was recorded or was not.
       CASE WHEN EXISTS (FROM raw.api_calls) AND bool_or(c.told)
            THEN coalesce(sum(w.cpu_ns), 0)::BIGINT END AS cpu_time_ns,
       CASE WHEN bool_or(c.told) THEN coalesce(sum(w.count), 0)::BIGINT END AS count
FROM classes c
LEFT JOIN work w ON c.place = 0 OR w.class = c.name
GROUP BY ALL
HAVING c.place < 6 OR count(w.class) > 0
ORDER BY c.place
