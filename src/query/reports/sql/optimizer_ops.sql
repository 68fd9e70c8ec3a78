-- Ops of the optimizer, without those that others of them call: all, and those that take many tensors at once.
WITH named AS (
    SELECT id, regexp_matches(name, '_foreach_|_fused_|^_multi_tensor|multi_tensor_apply') AS grouped
    FROM raw.op_identities
    WHERE direction_name(direction) = 'optimizer' AND starts_with(name, 'aten::')
), ops AS MATERIALIZED (
    SELECT o.id, o.parent_op, n.grouped FROM sel_ops o JOIN named n ON n.id = o.op
)
SELECT count(*) AS ops, count(*) FILTER (WHERE grouped) AS grouped
FROM ops o
WHERE NOT EXISTS (FROM ops p WHERE p.id = o.parent_op)
