-- When primitives of oneDNN (as $pattern) reorder activations: tensors of three or more sizes whose first is the batch
-- of a convolution of the range, and that have not the shape of its weights; not those of which values of arguments
-- match $but_values (empty: any).
WITH sized AS MATERIALIZED (
    SELECT o.track, o.begin_ns, o.dur_ns, regexp_matches(i.name, $pattern) AS reorders,
           regexp_extract_all(g.shapes, '\[(\d+(?:, \d+)+)\]', 1) AS list
    FROM sel_ops o
    JOIN raw.op_identities i ON i.id = o.op
         AND (regexp_matches(i.name, $pattern) OR regexp_matches(i.name, 'onednn\w*::convolution'))
    JOIN raw.signatures g ON g.id = o.signature
         AND ($but_values = '' OR g.concrete IS NULL OR NOT regexp_matches(g.concrete, $but_values))
), convolutions AS MATERIALIZED (
    SELECT DISTINCT list[1] AS data, list[2] AS weights FROM sized WHERE NOT reorders
)
SELECT t.rank::BIGINT AS rank, s.begin_ns::BIGINT AS begin_ns, (s.begin_ns + s.dur_ns)::BIGINT AS end_ns
FROM sized s
JOIN raw.tracks t ON t.id = s.track
WHERE s.reorders
  AND len(string_split(s.list[1], ', ')) >= 3
  AND string_split(s.list[1], ', ')[1] IN (SELECT string_split(data, ', ')[1] FROM convolutions)
  AND s.list[1] NOT IN (SELECT weights FROM convolutions WHERE weights IS NOT NULL)
