-- Each op by its own time, so that the rows add up: a time is counted with the innermost op only.
WITH classes AS (
    FROM (VALUES (0, 'All ops'),
                 (1, 'Ops using TC'),
                 (2, 'Ops eligible for TC but not using'),
                 (3, 'Ops whose kernels do not tell'),
                 (4, 'All other ops'),
                 (5, 'Launched outside of ops'),
                 (6, 'Launch not recorded')) v(place, name)
), ops AS (
    SELECT s.op,
           CASE WHEN sum(s.tc_kernels) > 0 THEN 'Ops using TC'
                WHEN sum(s.unknown_tc_kernels) > 0 THEN 'Ops whose kernels do not tell'
                WHEN i.tc_eligible AND sum(s.kernels) > 0 THEN 'Ops eligible for TC but not using'
                ELSE 'All other ops'
           END AS class,
           sum(s.self_gpu_ns)::BIGINT AS gpu_ns, sum(s.self_cpu_ns)::BIGINT AS cpu_ns, sum(s.calls)::BIGINT AS calls
    FROM sel_stats s
    JOIN raw.op_identities i ON i.id = s.op
    GROUP BY s.op, i.tc_eligible
    UNION ALL
    -- Of work without its launch nobody knows whether an op launched it: its own launches are counted.
    SELECT CASE WHEN i.type <> 'unattributed' THEN w.op END,
           CASE WHEN i.type = 'unattributed' THEN 'Launch not recorded'
                -- Ops that the source names for device work itself are ops as others.
                WHEN i.type IN ('unassociated', 'annotation') OR w.op IN (SELECT op FROM raw.op_stats)
                THEN 'Launched outside of ops'
                WHEN w.tc_kernels > 0 THEN 'Ops using TC'
                WHEN w.unknown_tc_kernels > 0 THEN 'Ops whose kernels do not tell'
                WHEN i.tc_eligible AND w.kernels > 0 THEN 'Ops eligible for TC but not using'
                ELSE 'All other ops'
           END,
           w.self_gpu_ns, w.self_cpu_ns,
           CASE WHEN i.type = 'unattributed' THEN w.kernels + w.graphs + w.memcpys + w.memsets ELSE w.calls END
    FROM outside_work w
    JOIN raw.op_identities i ON i.id = w.op
)
SELECT c.place, c.name,
       coalesce(sum(o.gpu_ns), 0)::BIGINT AS gpu_time_ns,
       coalesce(sum(o.cpu_ns), 0)::BIGINT AS cpu_time_ns,
       count(o.op) AS ops,
       coalesce(sum(o.calls), 0)::BIGINT AS calls
FROM classes c
LEFT JOIN ops o ON c.place = 0 OR o.class = c.name
WHERE $all_classes OR c.place = 0
GROUP BY ALL
ORDER BY c.place
