SELECT s.launch::BIGINT AS launch, s.rowid AS place
FROM raw.device_spans s
JOIN chosen_tracks c USING (track)
WHERE s.launch >= 0 AND ($start IS NULL OR s.iteration BETWEEN $start AND $stop)
