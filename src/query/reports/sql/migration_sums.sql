-- Causes as in ENUM_CUDA_UNIF_MEM_MIGRATION and CUPTI.
WITH migrations AS (
    SELECT t.rank, t.device, copy_kind_name(f.copy_kind) AS operation,
           CASE f.migration_cause
               WHEN 1 THEN 'User prefetch'
               WHEN 2 THEN 'Page fault'
               WHEN 3 THEN 'Prefetch'
               WHEN 4 THEN 'Eviction'
               WHEN 5 THEN 'Access counter'
           END AS cause,
           count(*) AS count,
           sum(s.dur_ns)::BIGINT AS total_time_ns,
           (sum(s.bytes) FILTER (WHERE s.bytes >= 0))::BIGINT AS bytes,
           1e9 * (sum(s.bytes) FILTER (WHERE s.bytes >= 0))
               / nullif(sum(s.dur_ns) FILTER (WHERE s.bytes >= 0), 0) AS bytes_per_s
    FROM sel_device s
    JOIN raw.tracks t ON t.id = s.track
    JOIN raw.transfers f ON f.id = s.transfer
    WHERE s.kind = device_kind('copy')
      AND f.copy_kind IN (copy_kind('UVM HtoD'), copy_kind('UVM DtoH'), copy_kind('UVM DtoD'))
    GROUP BY ALL
)
SELECT m.* EXCLUDE (rank, device), r.number AS rank, d.number AS device
FROM migrations m
LEFT JOIN raw.devices d ON d.id = m.device
LEFT JOIN raw.ranks r ON r.id = m.rank
