-- The instances that a table lists, where it is in its own order or by duration and shows only its top: the tables of
-- calls and ops then are read for these alone.
CREATE OR REPLACE TEMP VIEW listed_kernels AS
SELECT d.*, t.rank, t.device, t.stream
FROM kernel_spans d
JOIN raw.tracks t ON t.id = d.track
JOIN raw.kernel_names k ON k.id = d.name
LEFT JOIN raw.devices dv ON dv.id = t.device
LEFT JOIN raw.ranks r ON r.id = t.rank
ORDER BY CASE WHEN $by_duration THEN d.dur_ns END DESC,
         nullif(d.iteration, -1) NULLS LAST, r.number NULLS LAST, d.begin_ns,
         dv.number NULLS LAST, t.stream NULLS LAST, nullif(d.correlation, -1) NULLS LAST, k.label
LIMIT $rows
