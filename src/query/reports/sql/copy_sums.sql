WITH copies AS (
    SELECT t.rank, t.device,
           CASE WHEN s.kind = device_kind('set') THEN 'Memset' ELSE coalesce(copy_kind_name(f.copy_kind), 'Memcpy') END
               AS operation,
           nullif(memory_kind_name(f.from_kind), '') AS from_memory,
           nullif(memory_kind_name(f.to_kind), '') AS to_memory,
           count(*) AS count,
           sum(s.dur_ns)::BIGINT AS total_time_ns,
           (sum(s.bytes) FILTER (WHERE s.bytes >= 0))::BIGINT AS bytes,
           -- Of those that tell their bytes.
           1e9 * (sum(s.bytes) FILTER (WHERE s.bytes >= 0))
               / nullif(sum(s.dur_ns) FILTER (WHERE s.bytes >= 0), 0) AS bytes_per_s,
           round(avg(s.bytes) FILTER (WHERE s.bytes >= 0))::BIGINT AS avg_bytes,
           min(s.bytes) FILTER (WHERE s.bytes >= 0) AS min_bytes,
           max(s.bytes) FILTER (WHERE s.bytes >= 0) AS max_bytes,
           round(avg(s.dur_ns))::BIGINT AS avg_time_ns,
           max(s.dur_ns) AS max_time_ns
    FROM sel_device s
    JOIN raw.tracks t ON t.id = s.track
    LEFT JOIN raw.transfers f ON f.id = s.transfer
    WHERE is_transfer(s.kind) AND NOT has_flag(s.flags, 'unfinished')
    GROUP BY ALL
)
SELECT c.* EXCLUDE (rank, device), r.number AS rank, d.number AS device
FROM copies c
LEFT JOIN raw.devices d ON d.id = c.device
LEFT JOIN raw.ranks r ON r.id = c.rank
