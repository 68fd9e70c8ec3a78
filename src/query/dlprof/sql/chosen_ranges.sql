SELECT id::INTEGER AS id, track::INTEGER AS track, text::INTEGER AS text, begin_ns::BIGINT AS begin_ns,
       (begin_ns + dur_ns)::BIGINT AS end_ns
FROM domain_ranges r
WHERE r.chosen
ORDER BY r.track, r.begin_ns, r.dur_ns DESC, r.id
