WITH calls AS (
    SELECT n.text AS name, a.dur_ns
    FROM st_api a
    JOIN raw.strings n ON n.id = a.name
)
FROM summed('calls')
ORDER BY total_ns DESC, name
