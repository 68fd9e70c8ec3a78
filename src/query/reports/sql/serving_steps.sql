-- Ranges and marks that may be steps of servers, on the host and as projected on devices, by their text
-- (serving_names).
WITH named AS (
    SELECT t.rank, a.begin_ns, a.dur_ns, a.name
    FROM sel_annotations a
    JOIN raw.tracks t ON t.id = a.track
    UNION ALL
    SELECT t.rank, d.begin_ns, d.dur_ns, d.name
    FROM sel_device d
    JOIN raw.tracks t ON t.id = d.track
    WHERE d.kind = device_kind('annotation')
)
SELECT rank::BIGINT AS rank, begin_ns::BIGINT AS begin_ns, (begin_ns + dur_ns)::BIGINT AS end_ns, name::BIGINT AS name
FROM named
WHERE name IN (SELECT id FROM raw.strings WHERE names_serving_step(text))
ORDER BY 1, 2, 3 DESC
