-- Python calls and ops that were recorded in the range.
SELECT (SELECT count(*) FROM raw.python_frames f JOIN raw.tracks t ON t.id = f.track
        JOIN sel_wall w ON w.rank = t.rank AND f.begin_ns >= w.begin_ns AND f.begin_ns < w.end_ns) AS frames,
       (SELECT count(*) FROM sel_ops) AS ops
