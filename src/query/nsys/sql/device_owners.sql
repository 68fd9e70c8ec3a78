-- The process and the device of each stream. One that does not tell its process belongs to the first of its rank.
SELECT t.id, coalesce(nullif(t.pid, 0), p.pid, 0) AS pid, d.number AS device, t.context, t.rank
FROM raw.tracks t
LEFT JOIN raw.devices d ON d.id = t.device
LEFT JOIN (
    SELECT rank, min(pid) AS pid
    FROM raw.tracks
    WHERE kind = track_kind('thread') AND pid > 0
    GROUP BY rank
) p ON p.rank = t.rank
WHERE t.kind = track_kind('stream')
ORDER BY t.id
