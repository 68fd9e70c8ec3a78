-- Ops of PyTorch's library by thread and begin, with what each is: `plain` works element by
-- element or reduces; `works` is work of the program's own, no view or allocation, and not the optimizer's.
-- `result_bytes`: of its result, which is as large as its largest input, or, of a reduction, too small to count; -1:
-- shapes or types do not tell.
WITH sizes AS MATERIALIZED (
    SELECT id,
           list_max(list_transform(regexp_extract_all(shapes, '\[(\d+(?:, \d+)*)\]', 1),
                                   lambda x: list_product(list_transform(string_split(x, ', '),
                                                                         lambda y: TRY_CAST(y AS DOUBLE)))))
           * CASE regexp_extract(dtypes, '"(?:c10::)?(float|double|Half|BFloat16)"', 1)
                 WHEN 'float' THEN 4 WHEN 'double' THEN 8 WHEN '' THEN NULL ELSE 2 END AS bytes
    FROM raw.signatures
), named AS MATERIALIZED (
    -- There are millions of ops and few identities.
    SELECT id,
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
)
SELECT o.track::BIGINT AS track, t.rank::BIGINT AS rank, o.begin_ns::BIGINT AS begin_ns,
       (o.begin_ns + o.dur_ns)::BIGINT AS end_ns, o.id::BIGINT AS id, o.parent_op::BIGINT AS parent_op,
       n.plain AS plain, n.works AS works,
       coalesce(CASE WHEN n.reduces THEN 0 ELSE s.bytes END, -1)::DOUBLE AS result_bytes
FROM sel_ops o
JOIN named n ON n.id = o.op
JOIN raw.tracks t ON t.id = o.track
LEFT JOIN sizes s ON s.id = o.signature
ORDER BY 1, 3, 5
