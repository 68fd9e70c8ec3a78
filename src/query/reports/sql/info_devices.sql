SELECT r.number AS rank, d.number AS device,
       nullif(d.name, '') AS name,
       compute_capability(d.compute_major, d.compute_minor, d.warp_size) AS compute_capability,
       nullif(d.sm_count, 0) AS sm_count,
       nullif(d.memory_bytes, 0) AS memory_bytes,
       d.declared,
       (SELECT count(*)
        FROM raw.device_spans s
        JOIN raw.tracks t ON t.id = s.track
        WHERE t.device = d.id AND is_busy(s.kind)) AS device_spans
FROM raw.devices d
LEFT JOIN raw.ranks r ON r.id = d.rank
