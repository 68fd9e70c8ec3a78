WITH ranges AS (
    SELECT CASE r.style WHEN range_style('push_pop') THEN 'PushPop' ELSE 'StartEnd' END AS style, l.text AS name,
           r.dur_ns
    FROM st_range r
    JOIN st_labels l ON l.id = r.label
)
FROM summed('ranges')
ORDER BY total_ns DESC, style, name
