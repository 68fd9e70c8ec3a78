SELECT pid, tid FROM raw.tracks ORDER BY id
