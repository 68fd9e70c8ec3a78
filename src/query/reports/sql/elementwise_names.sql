-- Ops of PyTorch's library, with what each is: `plain` works element by element or reduces; `works` is work of the
-- program's own, no view or allocation, and not the optimizer's.
SELECT id::BIGINT AS id,
       regexp_matches(name, '^aten::(add|sub|rsub|mul|div|neg|pow|exp|log|sqrt|rsqrt|square|reciprocal|abs|tanh|'
           || 'sigmoid|relu|erf|clamp|clamp_min|where|mean|sum|var|std|maximum|minimum|addcmul|addcdiv|lerp|'
           || 'tanh_backward|sigmoid_backward|threshold_backward)_?$') AS plain,
       regexp_matches(name, '^aten::(mean|sum|var|std)$') AS reduces,
       direction_name(direction) <> 'optimizer'
           AND NOT regexp_matches(name, '^aten::(_?reshape.*|_?unsafe_view|view.*|expand.*|unsqueeze|squeeze|t|'
               || 'transpose|permute|detach|as_strided|select|slice|alias|empty.*|unbind|resize_|to|ones_like|'
               || 'zeros_like)$') AS works
FROM raw.op_identities
WHERE starts_with(name, 'aten::')
