SELECT id::BIGINT AS id, stream::BIGINT AS stream
FROM raw.tracks
WHERE rank = $rank AND kind = track_kind('stream')
ORDER BY id
