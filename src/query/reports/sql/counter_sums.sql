WITH samples AS (
    SELECT t.rank, t.device, t.pid_text AS subject, x.text AS counter,
           count(*) AS samples,
           avg(s.value) AS avg,
           min(s.value) AS min,
           quantile_cont(s.value, 0.5) AS median,
           quantile_cont(s.value, 0.95) AS p95,
           max(s.value) AS max
    FROM chosen('raw.counters') s
    JOIN raw.tracks t ON t.id = s.track
    JOIN raw.strings x ON x.id = s.name
    GROUP BY ALL
)
SELECT c.* EXCLUDE (rank, device, subject), r.number AS rank, d.number AS device, nullif(c.subject, '') AS subject
FROM samples c
LEFT JOIN raw.devices d ON d.id = c.device
LEFT JOIN raw.ranks r ON r.id = c.rank
