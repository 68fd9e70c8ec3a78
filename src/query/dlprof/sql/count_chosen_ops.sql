SELECT count(*) AS ops
FROM domain_ranges r
SEMI JOIN raw.ops o ON o.id = r.id
WHERE r.chosen
