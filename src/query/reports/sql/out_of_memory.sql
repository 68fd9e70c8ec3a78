-- When an allocator had no memory to give, as snapshots of PyTorch's memory tell it.
SELECT y.text, count(*) AS times, min(s.begin_ns) AS first_ns
FROM raw.other_spans s
JOIN raw.strings y ON y.id = s.name
JOIN raw.strings c ON c.id = s.category
WHERE c.text = 'allocator' AND starts_with(y.text, 'out of memory')
GROUP BY y.text
ORDER BY first_ns, y.text
