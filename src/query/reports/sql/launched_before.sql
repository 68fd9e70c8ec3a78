-- Of work of devices that was launched before it began: when its launch ended, and its own begin.
SELECT t.rank::BIGINT AS rank, (d.host_ns + d.launch_dur_ns)::BIGINT AS begin_ns, d.begin_ns::BIGINT AS end_ns
FROM raw.device_spans d
JOIN raw.tracks t ON t.id = d.track
WHERE is_busy(d.kind) AND d.launch_dur_ns <> -1 AND d.host_ns + d.launch_dur_ns < d.begin_ns
