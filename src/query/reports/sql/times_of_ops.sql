-- When ops run whose names match $pattern, the types of whose inputs match $dtypes and the values of whose arguments
-- $values, and whose shapes do not match $but_shapes, nor values $but_values (empty: any): on the host, with all that
-- they call, those alone that none of them calls; with $device what they and the two levels of ops below them launched,
-- of that with $kernels the kernels alone.
WITH wanted AS MATERIALIZED (
    SELECT o.id, o.track, o.begin_ns, o.dur_ns, o.parent_op
    FROM sel_ops o
    JOIN raw.op_identities i ON i.id = o.op AND regexp_matches(i.name, $pattern)
    LEFT JOIN raw.signatures g ON g.id = o.signature
    WHERE ($dtypes = '' OR regexp_matches(g.dtypes, $dtypes))
      AND ($but_shapes = '' OR g.shapes IS NULL OR NOT regexp_matches(g.shapes, $but_shapes))
      AND ($values = '' OR regexp_matches(g.concrete, $values))
      AND ($but_values = '' OR g.concrete IS NULL OR NOT regexp_matches(g.concrete, $but_values))
), children AS MATERIALIZED (
    SELECT id FROM raw.ops WHERE $device AND parent_op IN (SELECT id FROM wanted)
), covered AS (
    SELECT id FROM wanted WHERE $device
    UNION
    FROM children
    UNION
    SELECT id FROM raw.ops WHERE $device AND parent_op IN (SELECT id FROM children)
), launched AS (
    SELECT d.track, d.begin_ns, d.dur_ns
    FROM sel_device d
    WHERE $device AND is_busy(d.kind) AND (NOT $kernels OR d.kind = device_kind('kernel'))
      AND d.op_span IN (SELECT id FROM covered)
)
SELECT t.rank::BIGINT AS rank, s.begin_ns::BIGINT AS begin_ns, (s.begin_ns + s.dur_ns)::BIGINT AS end_ns
FROM (
    SELECT track, begin_ns, dur_ns FROM wanted WHERE NOT $device AND parent_op NOT IN (SELECT id FROM wanted)
    UNION ALL
    FROM launched
) s
JOIN raw.tracks t ON t.id = s.track
