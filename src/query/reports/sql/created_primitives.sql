-- Primitives of oneDNN that were created: how many, of how many different ones, and how many the cache had instead.
SELECT count(*) FILTER (WHERE NOT o.cached) AS created,
       count(DISTINCT (o.name, o.signature)) FILTER (WHERE NOT o.cached) AS different,
       count(*) FILTER (WHERE o.cached) AS cached
FROM (
    SELECT i.name, s.signature, ends_with(i.name, '(cache_hit)') AS cached
    FROM sel_ops s
    JOIN raw.op_identities i ON i.id = s.op
    WHERE regexp_matches(i.name, '^onednn\w*::create_')
) o
