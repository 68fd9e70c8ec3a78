SELECT r.begin_ns, r.end_ns
FROM all_ranges r
JOIN st_labels l ON l.id = r.label
WHERE l.text = $label
ORDER BY r.begin_ns, r.end_ns
LIMIT 1 OFFSET $index
