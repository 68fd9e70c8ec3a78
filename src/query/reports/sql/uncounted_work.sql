WITH types AS (
    SELECT i.type, sum(s.time_ns)::BIGINT AS time_ns, nullif(sum(s.spans), 0)::BIGINT AS spans,
           bool_or(i.shapes <> '') AS told, bool_and(s.kind = -1) AS of_host
    FROM sel_work s
    JOIN raw.op_identities i ON i.id = s.op
    WHERE s.work < 0
    GROUP BY i.type
), callers AS (
    -- Ops most of whose time lies in ops that they call.
    SELECT i.type
    FROM sel_stats s
    JOIN raw.op_identities i ON i.id = s.op
    GROUP BY i.type
    HAVING 2 * sum(s.self_cpu_ns) < sum(s.cpu_ns)
)
SELECT type AS op_type, time_ns, spans,
       100.0 * time_ns / nullif((SELECT sum(time_ns) FROM sel_work), 0) AS time_pct,
       CASE WHEN type IN ('unassociated', 'unattributed') THEN 'no op is known around the launch'
            WHEN type = 'annotation' THEN 'launched in an annotation outside of all ops'
            WHEN of_host AND type IN (FROM callers) THEN 'its own time, between the ops that it calls'
            WHEN NOT told THEN 'the source tells no shapes of its inputs'
            WHEN contains(type, 'unified_attention') OR contains(type, 'paged_attention')
            THEN 'how much of the cache it attends to is not told'
            ELSE 'no formula, or its inputs do not tell'
       END AS why
FROM types
WHERE time_ns > 0
