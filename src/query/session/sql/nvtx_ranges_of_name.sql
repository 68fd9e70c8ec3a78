-- NVTX ranges that say the name whole: see is_range_of.
SELECT t.rank, r.begin_ns, r.begin_ns + r.dur_ns AS end_ns, x.text
FROM raw.nvtx_ranges r
JOIN raw.strings x ON x.id = r.text
JOIN raw.tracks t ON t.id = r.track
WHERE x.text = $name OR ends_with(x.text, ': ' || $name)
ORDER BY r.id
