-- NVTX domains with the number of their push/pop ranges.
SELECT a.domain_name AS name, count(*) AS ranges
FROM raw.nvtx_ranges r
JOIN raw.nvtx_attributes a ON a.id = r.attributes
WHERE a.type = range_style('push_pop')
GROUP BY a.domain_name
ORDER BY a.domain_name
