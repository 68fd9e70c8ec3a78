-- Ranges of one style: 'push_pop' or 'start_end'.
WITH ranges AS (
    SELECT l.text AS name, r.dur_ns
    FROM st_range r
    JOIN st_labels l ON l.id = r.label
    WHERE r.style = range_style($style)
)
FROM summed('ranges')
ORDER BY total_ns DESC, name
