-- Which thread iterations are told in: where named ranges begin or end with them, and how often.
SELECT a.track::BIGINT AS track, count(*)::BIGINT AS matches
FROM raw.annotations a
JOIN raw.tracks t ON t.id = a.track
JOIN sel_iterations i ON i.rank = t.rank AND (i.begin_ns = a.begin_ns OR i.end_ns = a.begin_ns + a.dur_ns)
WHERE t.rank = $rank AND t.kind = track_kind('thread')
GROUP BY a.track
ORDER BY matches DESC, track
LIMIT 1
