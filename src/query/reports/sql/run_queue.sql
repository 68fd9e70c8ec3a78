-- How long the threads that run the ops waited for a processor while they were ready to run: in the chosen time, and in
-- the part of it in which the host does something that was not recorded, or nothing of the recording runs. Of each rank
-- that is the thread with most time in ops; others, as those that pin memory, may wait while it works.
WITH main_threads AS (
    SELECT t.rank, arg_max(t.pid, o.ns) AS pid, arg_max(t.tid, o.ns) AS tid
    FROM (SELECT track, sum(self_ns) AS ns FROM raw.ops GROUP BY track) o
    JOIN raw.tracks t ON t.id = o.track
    GROUP BY t.rank
), waits AS (
    SELECT t.rank, s.begin_ns, s.begin_ns + s.dur_ns AS end_ns
    FROM raw.other_spans s
    JOIN raw.strings y ON y.id = s.category AND y.text = 'run_queue'
    JOIN raw.tracks t ON t.id = s.track
    JOIN main_threads m ON m.rank = t.rank AND t.pid_text = m.pid::VARCHAR
                       AND t.tid_text = 'Run queue of thread ' || m.tid
)
SELECT (SELECT coalesce(sum(least(s.end_ns, w.end_ns) - greatest(s.begin_ns, w.begin_ns)), 0)::BIGINT
        FROM waits s
        JOIN sel_wall w ON w.rank = s.rank AND s.begin_ns < w.end_ns AND w.begin_ns < s.end_ns) AS ns,
       (SELECT coalesce(sum(within_ns), 0)::BIGINT FROM within_resource('waits', 'host')) AS host_ns,
       (SELECT coalesce(sum(within_ns), 0)::BIGINT FROM within_resource('waits', 'idle')) AS idle_ns,
       (SELECT coalesce(sum(wall_ns), 0)::BIGINT FROM sel_wall_sums) AS wall_ns
