SELECT d.launch::INTEGER AS launch, t.device::INTEGER AS device, d.name::INTEGER AS name, d.config::INTEGER AS config,
       d.iteration::INTEGER AS iteration, d.begin_ns::BIGINT AS begin_ns, (d.begin_ns + d.dur_ns)::BIGINT AS end_ns,
       d.kind::TINYINT AS kind
FROM raw.device_spans d
JOIN raw.tracks t ON t.id = d.track
WHERE is_work(d.kind)
ORDER BY d.begin_ns, d.rowid
