-- When the threads that run the ops waited for a processor while they were ready to run. Of each rank that is the
-- thread with most time in ops; others, as those that pin memory, may wait while it works.
CREATE TEMP TABLE run_queue_spans AS
WITH main_threads AS (
    SELECT t.rank, arg_max(t.pid, o.ns) AS pid, arg_max(t.tid, o.ns) AS tid
    FROM (SELECT track, sum(self_ns) AS ns FROM raw.ops GROUP BY track) o
    JOIN raw.tracks t ON t.id = o.track
    GROUP BY t.rank
)
SELECT t.rank, s.begin_ns, s.begin_ns + s.dur_ns AS end_ns
FROM raw.other_spans s
JOIN raw.strings y ON y.id = s.category AND y.text = 'run_queue'
JOIN raw.tracks t ON t.id = s.track
JOIN main_threads m ON m.rank = t.rank AND t.pid_text = m.pid::VARCHAR
                   AND t.tid_text = 'Run queue of thread ' || m.tid
