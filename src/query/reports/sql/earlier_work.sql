-- Of the time in which no work of a device runs, what lies within the wait of the recording's first device work. Needs
-- first_work_waits and within_resource.
SELECT coalesce((SELECT sum(within_ns) FROM within_resource('first_work_waits', 'idle')), 0)::BIGINT AS idle_ns,
       coalesce((SELECT sum(within_ns) FROM within_resource('first_work_waits', 'host')), 0)::BIGINT AS host_ns,
       coalesce((SELECT sum(within_ns) FROM within_resource('first_work_waits', 'cpu')), 0)::BIGINT AS cpu_ns
