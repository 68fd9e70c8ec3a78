-- Device time of each layer on each rank, without communication: how unequal it is.
WITH times AS (
    SELECT i.layer, t.rank, sum(d.dur_ns)::BIGINT AS ns
    FROM sel_device d
    JOIN raw.tracks t ON t.id = d.track
    JOIN raw.op_identities i ON i.id = d.op AND i.layer >= 0
    JOIN raw.kernel_names k ON k.id = d.name AND k.class = kernel_class('compute')
    WHERE d.kind = device_kind('kernel')
    GROUP BY ALL
)
SELECT l.path AS layer, count(*) AS ranks, round(avg(t.ns))::BIGINT AS mean_ns, max(t.ns) AS max_ns,
       arg_max(r.number, (t.ns, -r.number)) AS max_rank, min(t.ns) AS min_ns,
       arg_min(r.number, (t.ns, r.number)) AS min_rank,
       max(t.ns) / nullif(avg(t.ns), 0) AS imbalance, round(max(t.ns) - avg(t.ns))::BIGINT AS lost_ns
FROM times t
JOIN raw.layers l ON l.id = t.layer
JOIN raw.ranks r ON r.id = t.rank
GROUP BY t.layer, l.path
HAVING count(*) > 1
