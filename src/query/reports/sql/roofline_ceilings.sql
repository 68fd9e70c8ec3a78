-- Peaks of units beside the memory's bandwidth, and levels between the two: their bandwidth, and where their slope
-- meets the highest peak.
WITH tops AS (
    SELECT device, max(flops_per_s) AS peak FROM raw.device_peaks GROUP BY device
), ceilings AS (
    SELECT m.device, m.model, m.source,
           CASE WHEN k.device IS NOT NULL
                THEN CASE WHEN k.matrix THEN 'matrix ' ELSE 'vector ' END || precision_name(k.precision)
           END AS unit,
           k.flops_per_s, k.flops_per_s AS peak, nullif(m.bandwidth, 0) AS bytes_per_s,
           m.note AS said, m.sources AS known_from
    FROM raw.device_models m
    LEFT JOIN raw.device_peaks k ON k.device = m.device
    UNION ALL
    SELECT m.device, m.model, m.source, 'memory ' || l.name, NULL, t.peak, l.bandwidth,
           CASE WHEN l.estimate <> '' THEN 'estimate: ' || l.estimate END, l.source
    FROM raw.device_models m
    JOIN sel_levels l ON l.model = m.model
    LEFT JOIN tops t ON t.device = m.device
    UNION ALL
    SELECT m.device, m.model, m.source, 'memory L2', NULL, NULL, NULL,
           CASE WHEN m.model IN (SELECT model FROM sel_levels) THEN 'no source tells how much it moves'
                ELSE 'told only of devices in the device table'
           END, NULL
    FROM raw.device_models m
    WHERE m.device >= 0 AND m.source <> model_source('not known')
      AND m.model NOT IN (SELECT model FROM sel_levels WHERE shared)
)
SELECT r.number AS rank, d.number AS device,
       CASE WHEN m.device = -1 THEN m.model ELSE nullif(d.name, '') END AS name,
       model_source_name(m.source) AS source,
       m.unit, m.flops_per_s, m.bytes_per_s,
       m.peak / m.bytes_per_s AS ridge,
       m.model,
       nullif(m.said, '') AS note,
       nullif(m.known_from, '') AS sources
FROM ceilings m
LEFT JOIN raw.devices d ON d.id = m.device
LEFT JOIN raw.ranks r ON r.id = d.rank
WHERE m.device IN (SELECT device FROM raw.work_stats)
