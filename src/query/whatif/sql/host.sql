-- What threads did between two times: data loading (0), ops (1), calls of the runtime (2) and of the driver (3),
-- collectives among processes (4).
WITH threads AS (
    SELECT id FROM raw.tracks WHERE rank = $rank AND kind = track_kind('thread')
), spans AS (
    SELECT track, begin_ns, dur_ns, id, 0 AS kind, name FROM raw.other_spans WHERE kind = host_kind('data_load')
    UNION ALL
    SELECT track, begin_ns, dur_ns, id, 1, op FROM raw.ops
    UNION ALL
    SELECT track, begin_ns, dur_ns, id, CASE WHEN driver THEN 3 ELSE 2 END, name FROM raw.api_calls
    UNION ALL
    SELECT track, begin_ns, dur_ns, id, 4, name
    FROM raw.annotations
    WHERE id IN (SELECT host_span FROM raw.collective_members)
)
SELECT track::INTEGER AS track, begin_ns, dur_ns, id::INTEGER AS id, kind::INTEGER AS kind, name::INTEGER AS name
FROM spans
WHERE track IN (FROM threads) AND begin_ns < $end_ns AND begin_ns + dur_ns >= $begin_ns
ORDER BY track, begin_ns, dur_ns DESC, kind, id
