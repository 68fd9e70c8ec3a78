-- The most that is held in the range on any device (where none tells memory: on the host). Needs memory_held.
SELECT coalesce(max(allocated), 0)::BIGINT AS bytes
FROM memory_peaks
WHERE (device_type <> 0) = (SELECT coalesce(bool_or(device_type <> 0), false) FROM raw.memory_events)
