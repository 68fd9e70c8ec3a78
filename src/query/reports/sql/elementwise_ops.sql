-- Ops of PyTorch's library by thread and begin, with what each is: `plain` works element by
-- element or reduces; `works` is work of the program's own, no view or allocation, and not the optimizer's.
WITH named AS MATERIALIZED (
    -- There are millions of ops and few identities.
    SELECT id,
           regexp_matches(name, '^aten::(add|sub|rsub|mul|div|neg|pow|exp|log|sqrt|rsqrt|square|reciprocal|abs|tanh|'
               || 'sigmoid|relu|erf|clamp|clamp_min|where|mean|sum|var|std|maximum|minimum|addcmul|addcdiv|lerp|'
               || 'tanh_backward|sigmoid_backward|threshold_backward)_?$') AS plain,
           direction_name(direction) <> 'optimizer'
               AND NOT regexp_matches(name, '^aten::(_?reshape.*|_?unsafe_view|view.*|expand.*|unsqueeze|squeeze|t|'
                   || 'transpose|permute|detach|as_strided|select|slice|alias|empty.*|unbind|resize_|to|ones_like|'
                   || 'zeros_like)$') AS works
    FROM raw.op_identities
    WHERE starts_with(name, 'aten::')
)
SELECT o.track::BIGINT AS track, t.rank::BIGINT AS rank, o.begin_ns::BIGINT AS begin_ns,
       (o.begin_ns + o.dur_ns)::BIGINT AS end_ns, o.id::BIGINT AS id, o.parent_op::BIGINT AS parent_op,
       n.plain AS plain, n.works AS works
FROM sel_ops o
JOIN named n ON n.id = o.op
JOIN raw.tracks t ON t.id = o.track
ORDER BY 1, 3, 5
