-- Where a recording begins within the profiler's own start and ends within its stop, by its Python frames: what lies
-- before `begin_ns` and after `end_ns` is the profiler's, for no op and no device works there, no call is open that is
-- not within those frames, and they take at least half of it. Frames of PyTorch's profiler (its record_function has
-- others), JAX's and TensorFlow's.
CREATE OR REPLACE TEMP TABLE profiler_ends AS
WITH names AS (
    SELECT id, regexp_matches(text, ' (start|__enter__|start_trace)$') AS starts
    FROM raw.strings
    WHERE regexp_matches(text, '(^|/)torch/profiler/profiler\.py\(\d+\): '
                               '(start|stop|__enter__|__exit__|start_trace|stop_trace)$')
       OR regexp_matches(text, '^profiler\.py:\d+ (start_trace|stop_trace)$|^profiler_v2\.py:\d+ (start|stop)$')
), frames AS MATERIALIZED (
    SELECT t.rank, f.begin_ns, f.begin_ns + f.dur_ns AS end_ns, n.starts
    FROM raw.python_frames f
    JOIN names n ON n.id = f.name
    JOIN raw.tracks t ON t.id = f.track
), recorded AS (
    SELECT t.rank, min(f.begin_ns) AS begin_ns, max(f.begin_ns + f.dur_ns) AS end_ns
    FROM raw.python_frames f
    JOIN raw.tracks t ON t.id = f.track
    WHERE EXISTS (FROM frames)
    GROUP BY t.rank
), work AS (
    SELECT t.rank, min(s.begin_ns) AS begin_ns, max(s.begin_ns + s.dur_ns) AS end_ns
    FROM (
        SELECT track, begin_ns, dur_ns FROM raw.device_spans WHERE is_busy(kind)
        UNION ALL
        SELECT track, begin_ns, dur_ns FROM raw.ops
    ) s
    JOIN raw.tracks t ON t.id = s.track
    WHERE EXISTS (FROM frames)
    GROUP BY t.rank
), sides AS (
    SELECT w.rank, f.starts, min(f.begin_ns) AS begin_ns, max(f.end_ns) AS end_ns
    FROM work w
    JOIN frames f ON f.rank = w.rank AND CASE WHEN f.starts THEN f.end_ns <= w.begin_ns ELSE f.begin_ns >= w.end_ns END
    GROUP BY w.rank, f.starts
), ends AS (
    SELECT s.rank, max(s.end_ns) FILTER (WHERE s.starts) AS begin_ns,
           min(s.begin_ns) FILTER (WHERE NOT s.starts) AS end_ns
    FROM sides s
    JOIN recorded r ON r.rank = s.rank
    WHERE CASE WHEN s.starts THEN s.begin_ns - r.begin_ns ELSE r.end_ns - s.end_ns END <= s.end_ns - s.begin_ns
    GROUP BY s.rank
), calls AS (
    SELECT t.rank, a.begin_ns, a.begin_ns + a.dur_ns AS end_ns
    FROM raw.api_calls a
    JOIN raw.tracks t ON t.id = a.track
    WHERE EXISTS (FROM frames)
), outside AS (
    SELECT e.rank, bool_or(c.begin_ns < e.begin_ns) AS before, bool_or(c.end_ns > e.end_ns) AS after
    FROM ends e
    JOIN calls c ON c.rank = e.rank AND (c.begin_ns < e.begin_ns OR c.end_ns > e.end_ns)
    WHERE NOT EXISTS (FROM frames f WHERE f.rank = e.rank AND f.begin_ns <= c.begin_ns AND c.end_ns <= f.end_ns)
    GROUP BY e.rank
)
SELECT e.rank, CASE WHEN NOT coalesce(o.before, false) THEN e.begin_ns END AS begin_ns,
       CASE WHEN NOT coalesce(o.after, false) THEN e.end_ns END AS end_ns
FROM ends e
LEFT JOIN outside o ON o.rank = e.rank
