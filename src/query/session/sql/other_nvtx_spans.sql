-- NVTX ranges that were read as layers or ops go by their text as written.
SELECT t.rank, r.begin_ns, r.begin_ns + r.dur_ns AS end_ns, s.text
FROM raw.nvtx_ranges r
JOIN raw.strings s ON s.id = r.text
JOIN raw.tracks t ON t.id = r.track
WHERE r.id NOT IN (SELECT id FROM raw.annotations)
ORDER BY r.id
