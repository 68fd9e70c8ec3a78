-- Ops of the optimizer: all, and those that take many tensors at once.
SELECT count(*) AS ops,
       count(*) FILTER (WHERE regexp_matches(i.name, '_foreach_|_fused_|^_multi_tensor|multi_tensor_apply')) AS grouped
FROM sel_ops o
JOIN raw.op_identities i ON i.id = o.op
WHERE direction_name(i.direction) = 'optimizer' AND starts_with(i.name, 'aten::')
