SELECT t.id, t.rank, t.pid, t.tid, t.pid_text
FROM raw.tracks t
WHERE t.kind IN (track_kind('thread'), track_kind('other'))
ORDER BY t.rank, t.id
