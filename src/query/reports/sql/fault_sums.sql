WITH faults AS (
    SELECT t.rank, s.device, nullif(s.access, '') AS access,
           sum(s.count)::BIGINT AS faults, count(*) AS events, sum(s.dur_ns)::BIGINT AS total_ns
    FROM chosen('raw.page_faults') s
    JOIN raw.tracks t ON t.id = s.track
    GROUP BY ALL
)
SELECT r.number AS rank, d.number AS device,
       CASE WHEN f.device < 0 THEN 'CPU' ELSE 'GPU' END AS side,
       f.access, f.faults, f.events,
       CASE WHEN f.device >= 0 THEN f.total_ns END AS total_time_ns
FROM faults f
LEFT JOIN raw.devices d ON d.id = f.device
LEFT JOIN raw.ranks r ON r.id = f.rank
