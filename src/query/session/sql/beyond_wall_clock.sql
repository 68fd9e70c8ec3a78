-- What is recorded before the wall clock of a rank begins and after it ends, in ns, beside the wall clock; the rank
-- where that lasts longest: system and library calls, or the profiler's own work alone.
WITH walls AS (
    SELECT rank, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns
    FROM sel_wall
    GROUP BY rank
), others AS (
    SELECT t.rank, min(s.begin_ns) AS begin_ns, max(s.begin_ns + s.dur_ns) AS end_ns,
           bool_or(s.kind <> host_kind('overhead') AND (s.begin_ns < w.begin_ns OR s.begin_ns + s.dur_ns > w.end_ns))
               AS calls
    FROM raw.other_spans s
    JOIN raw.tracks t ON t.id = s.track
    JOIN walls w ON w.rank = t.rank
    WHERE t.kind = track_kind('thread')
    GROUP BY t.rank
)
SELECT greatest(w.begin_ns - o.begin_ns, 0) AS before_ns, greatest(o.end_ns - w.end_ns, 0) AS after_ns,
       w.end_ns - w.begin_ns AS wall_ns, o.calls
FROM walls w
JOIN others o ON o.rank = w.rank
ORDER BY before_ns + after_ns DESC, w.rank
LIMIT 1
