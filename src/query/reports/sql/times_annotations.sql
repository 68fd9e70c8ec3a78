-- When annotations, ops or other spans of the host are open whose names match $pattern.
WITH named AS (
    SELECT a.track, a.begin_ns, a.dur_ns
    FROM sel_annotations a
    JOIN raw.strings x ON x.id = a.name AND regexp_matches(x.text, $pattern)
    UNION ALL
    SELECT o.track, o.begin_ns, o.dur_ns
    FROM sel_ops o
    JOIN raw.op_identities i ON i.id = o.op AND regexp_matches(i.name, $pattern)
)
SELECT t.rank::BIGINT AS rank, n.begin_ns::BIGINT AS begin_ns, (n.begin_ns + n.dur_ns)::BIGINT AS end_ns
FROM named n
JOIN raw.tracks t ON t.id = n.track
