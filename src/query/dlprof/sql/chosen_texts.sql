SELECT r.id, x.text
FROM domain_ranges r
JOIN raw.strings x ON x.id = r.text
WHERE r.chosen
