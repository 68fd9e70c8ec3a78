-- The instances that a table lists.
CREATE OR REPLACE TEMP VIEW listed_kernels AS
SELECT d.*, t.rank, t.device, t.stream
FROM kernel_spans d
JOIN raw.tracks t ON t.id = d.track
