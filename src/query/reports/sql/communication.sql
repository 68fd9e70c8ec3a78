-- Needs exchange_kind.
WITH sums AS (
    SELECT t.rank, t.device, d.collective, d.name, count(*) AS calls,
           sum(d.dur_ns)::BIGINT AS total, min(d.dur_ns) AS least, max(d.dur_ns) AS most
    FROM sel_device d
    JOIN raw.tracks t ON t.id = d.track
    WHERE d.kind = device_kind('kernel')
    GROUP BY ALL
)
SELECT r.number AS rank, dv.number AS device,
       coalesce(nullif(c.name, ''), k.label) AS collective,
       exchange_kind(c.name, k.label) AS exchange,
       nullif(c.dtype, '') AS dtype,
       nullif(c.group_name, '') AS "group",
       nullif(c.group_size, -1) AS group_size,
       nullif(c.in_elements, -1) AS in_elements,
       nullif(c.out_elements, -1) AS out_elements,
       s.calls,
       s.total AS total_gpu_time_ns,
       round(s.total / s.calls)::BIGINT AS avg_gpu_time_ns,
       s.least AS min_gpu_time_ns,
       s.most AS max_gpu_time_ns,
       k.label AS kernel_name
FROM sums s
JOIN raw.kernel_names k ON k.id = s.name AND k.class = kernel_class('communication')
LEFT JOIN raw.collectives c ON c.id = s.collective
LEFT JOIN raw.ranks r ON r.id = s.rank
LEFT JOIN raw.devices dv ON dv.id = s.device
