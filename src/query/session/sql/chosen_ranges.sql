-- Ranges that begin in a chosen iteration; of a whole run all.
CREATE TEMP VIEW st_range AS
FROM all_ranges
WHERE $whole
UNION ALL
SELECT r.*
FROM all_ranges r
JOIN raw.tracks t ON t.id = r.track
ASOF JOIN sel_iterations i ON i.rank = t.rank AND r.begin_ns >= i.begin_ns
WHERE NOT $whole AND r.begin_ns < i.end_ns;

CREATE TEMP TABLE range_beyond (label INTEGER, style INTEGER, self_ns BIGINT, gpu_ns BIGINT, gpu_ops BIGINT,
                                again_ns BIGINT)
