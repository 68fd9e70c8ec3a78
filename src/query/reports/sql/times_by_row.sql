-- When compute kernels run, by stream ($rows 'streams'), or any work of a device, by device ('devices').
SELECT t.rank::BIGINT AS rank, d.begin_ns::BIGINT AS begin_ns, (d.begin_ns + d.dur_ns)::BIGINT AS end_ns,
       d.track::BIGINT AS row
FROM sel_device d
JOIN raw.tracks t ON t.id = d.track
LEFT JOIN raw.kernel_names k ON k.id = d.name AND d.kind = device_kind('kernel')
WHERE $rows = 'streams' AND d.kind = device_kind('kernel') AND k.class <> kernel_class('communication')
UNION ALL
SELECT v.rank::BIGINT, s.begin_ns::BIGINT, s.end_ns::BIGINT, s.device::BIGINT
FROM raw.busy_segments s
JOIN raw.devices v ON v.id = s.device
WHERE $rows = 'devices' AND NOT s.kernel_only
