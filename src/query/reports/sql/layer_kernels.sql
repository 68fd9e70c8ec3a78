-- Kernels of each layer and all below it, by the direction of their ops: nothing unless $wanted.
CREATE OR REPLACE TEMP TABLE layer_kernels AS
WITH kernels AS (
    SELECT d.op, rank_group(t.rank, $ranks_by) AS rank, count(*) AS kernels
    FROM sel_device d
    JOIN raw.tracks t ON t.id = d.track
    WHERE $wanted AND d.kind = device_kind('kernel')
    GROUP BY ALL
)
SELECT a.ancestor AS layer, k.rank, sum(k.kernels)::BIGINT AS kernels,
       (sum(k.kernels) FILTER (WHERE i.direction = direction('fprop')))::BIGINT AS forward_kernels,
       (sum(k.kernels) FILTER (WHERE i.direction = direction('bprop')))::BIGINT AS backward_kernels
FROM kernels k
JOIN raw.op_identities i ON i.id = k.op
JOIN layers_above a ON a.layer = i.layer
GROUP BY ALL
