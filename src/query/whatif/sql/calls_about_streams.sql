-- Waits that the source shows on a stream, by the call that asked for them.
SELECT d.launch::BIGINT AS launch, d.track::BIGINT AS track
FROM raw.device_spans d
JOIN raw.tracks t ON t.id = d.track
WHERE t.rank = $rank AND d.kind = device_kind('sync') AND d.launch >= 0 AND t.stream >= 0
