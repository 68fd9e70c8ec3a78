WITH copies AS (
    SELECT rank_group(t.rank, CASE $ranks_by WHEN 'host' THEN 'host' ELSE 'rank' END) AS rank, t.device,
           CASE WHEN s.kind = device_kind('set') THEN 'Memset' ELSE coalesce(copy_kind_name(f.copy_kind), 'Memcpy') END
               AS operation,
           nullif(memory_kind_name(f.from_kind), '') AS from_memory,
           nullif(memory_kind_name(f.to_kind), '') AS to_memory,
           count(*) AS count,
           sum(s.dur_ns)::BIGINT AS total_time_ns,
           (sum(s.bytes) FILTER (WHERE s.bytes >= 0))::BIGINT AS bytes,
           -- Of those that tell their bytes, and a time in which these can move.
           1e9 * (sum(s.bytes) FILTER (WHERE s.bytes >= 0 AND is_believed(w.memory_ns, w.bound_ns)))
               / nullif(sum(s.dur_ns) FILTER (WHERE s.bytes >= 0 AND is_believed(w.memory_ns, w.bound_ns)), 0)
               AS bytes_per_s,
           count(*) FILTER (WHERE NOT is_believed(w.memory_ns, w.bound_ns)) AS not_believed,
           round(avg(s.bytes) FILTER (WHERE s.bytes >= 0))::BIGINT AS avg_bytes,
           min(s.bytes) FILTER (WHERE s.bytes >= 0) AS min_bytes,
           max(s.bytes) FILTER (WHERE s.bytes >= 0) AS max_bytes,
           round(avg(s.dur_ns))::BIGINT AS avg_time_ns,
           max(s.dur_ns) AS max_time_ns
    FROM sel_device s
    JOIN raw.tracks t ON t.id = s.track
    LEFT JOIN raw.transfers f ON f.id = s.transfer
    LEFT JOIN raw.works w ON w.id = s.work
    WHERE is_transfer(s.kind) AND NOT has_flag(s.flags, 'unfinished')
    GROUP BY ALL
)
SELECT c.* EXCLUDE (rank, device), r.number AS rank, nullif(r.host, '') AS host, d.number AS device,
       CASE WHEN not_believed > 0
            THEN format('{} of {} faster than any cache: left out of bytes/s', not_believed, count) END AS remarks
FROM copies c
LEFT JOIN raw.devices d ON d.id = c.device
LEFT JOIN raw.ranks r ON r.id = c.rank
