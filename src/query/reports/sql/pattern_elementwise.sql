-- Stretches in which a thread does $least or more ops that work element by element, or reduce, one after the other,
-- each within 0.2 ms of the one before. Views and allocations in between do not count; the optimizer has its own rule.
WITH outermost AS (
    SELECT o.track, o.begin_ns, o.begin_ns + o.dur_ns AS end_ns,
           regexp_matches(i.name, '^aten::(add|sub|rsub|mul|div|neg|pow|exp|log|sqrt|rsqrt|square|reciprocal|abs|tanh|'
               || 'sigmoid|relu|erf|clamp|clamp_min|where|mean|sum|var|std|maximum|minimum|addcmul|addcdiv|lerp|'
               || 'tanh_backward|sigmoid_backward|threshold_backward)_?$') AS plain
    FROM sel_ops o
    JOIN raw.op_identities i ON i.id = o.op AND starts_with(i.name, 'aten::')
    LEFT JOIN raw.ops p ON p.id = o.parent_op
    LEFT JOIN raw.op_identities n ON n.id = p.op
    WHERE (n.name IS NULL OR NOT starts_with(n.name, 'aten::')) AND direction_name(i.direction) <> 'optimizer'
      AND NOT regexp_matches(i.name, '^aten::(_?reshape.*|_?unsafe_view|view.*|expand.*|unsqueeze|squeeze|t|transpose|'
          || 'permute|detach|as_strided|select|slice|alias|empty.*|unbind|resize_|to|ones_like|zeros_like)$')
), parted AS (
    SELECT *, NOT plain OR begin_ns > 200000 + lag(end_ns) OVER (PARTITION BY track ORDER BY begin_ns) AS parts
    FROM outermost
), numbered AS (
    SELECT *, count(*) FILTER (WHERE parts) OVER (PARTITION BY track ORDER BY begin_ns) AS stretch
    FROM parted
)
SELECT n.track::BIGINT AS track, t.rank::BIGINT AS rank, min(n.begin_ns)::BIGINT AS begin_ns,
       max(n.end_ns)::BIGINT AS end_ns, count(*)::BIGINT AS ops
FROM numbered n
JOIN raw.tracks t ON t.id = n.track
WHERE n.plain
GROUP BY n.track, t.rank, n.stretch
HAVING count(*) >= $least::BIGINT
ORDER BY 1, 3
