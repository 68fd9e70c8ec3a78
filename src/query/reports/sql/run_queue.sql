-- How long the threads that run the ops waited for a processor: in the chosen time, and in the part of it in which the
-- host does something that was not recorded, or nothing of the recording runs. Needs run_queue_spans and
-- within_resource.
SELECT (SELECT coalesce(sum(least(s.end_ns, w.end_ns) - greatest(s.begin_ns, w.begin_ns)), 0)::BIGINT
        FROM run_queue_spans s
        JOIN sel_wall w ON w.rank = s.rank AND s.begin_ns < w.end_ns AND w.begin_ns < s.end_ns) AS ns,
       (SELECT coalesce(sum(within_ns), 0)::BIGINT FROM within_resource('run_queue_spans', 'host')) AS host_ns,
       (SELECT coalesce(sum(within_ns), 0)::BIGINT FROM within_resource('run_queue_spans', 'idle')) AS idle_ns,
       (SELECT coalesce(sum(wall_ns), 0)::BIGINT FROM sel_wall_sums) AS wall_ns
