-- The kernels of the range, with the work that their ops tell and what counters measured of each. Counters that were
-- joined with kernels stand on a track of their own beside the stream (analyze/joined_counters.h).
CREATE OR REPLACE TEMP TABLE measured_kernels AS
WITH samples AS (
    SELECT s.id AS track, c.time_ns,
           sum(c.value) FILTER (WHERE x.text = 'measured FLOPs') AS plain_flops,
           sum(c.value) FILTER (WHERE x.text = 'measured Tensor Core FLOPs') AS tensor_flops,
           sum(c.value) FILTER (WHERE x.text = 'measured memory bytes') AS bytes,
           sum(c.value) FILTER (WHERE x.text = 'measured L2 bytes') AS l2_bytes
    FROM raw.counters c
    JOIN raw.strings x ON x.id = c.name AND starts_with(x.text, 'measured ')
    JOIN raw.tracks t ON t.id = c.track
    JOIN raw.tracks s ON s.kind = track_kind('stream') AND s.rank = t.rank AND s.device = t.device
        AND s.context = t.context AND s.stream = t.stream AND s.pid = t.pid
    GROUP BY ALL
)
SELECT d.name AS kernel, d.op, d.dur_ns,
       d.share * w.flops AS expected_flops,
       d.share * w.bytes_min AS expected_bytes,
       m.track IS NOT NULL AS measured,
       k.uses_tc = tc_use('yes') AS uses_tc,
       -- Where Tensor Cores worked and their FLOPs were not counted, the others are not those of the kernel.
       CASE WHEN k.uses_tc <> tc_use('yes') OR m.tensor_flops IS NOT NULL
            THEN m.plain_flops + coalesce(m.tensor_flops, 0) END AS measured_flops,
       m.plain_flops IS NOT NULL AND k.uses_tc = tc_use('yes') AND m.tensor_flops IS NULL AS lacks_tensor_flops,
       m.bytes AS measured_bytes,
       k.name ILIKE '%winograd%' AS winograd,
       k.name ILIKE '%fft%' AS fft
FROM sel_device d
JOIN raw.kernel_names k ON k.id = d.name
LEFT JOIN samples m ON m.track = d.track AND m.time_ns = d.begin_ns
LEFT JOIN raw.works w ON w.id = d.work
WHERE d.kind = device_kind('kernel')
