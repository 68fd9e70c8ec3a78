WITH calls AS (
    SELECT s.text AS name, h.dur_ns
    FROM st_host h
    JOIN raw.strings s ON s.id = h.name
    WHERE h.kind = host_kind('os_runtime') AND h.category >= 0
)
FROM summed('calls')
ORDER BY total_ns DESC, name
