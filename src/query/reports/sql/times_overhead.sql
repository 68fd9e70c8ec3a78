-- When the profiler that recorded says that it is at work itself. Profilers list the loading of libraries and of a
-- device's code and what the driver compiles with it: the program has these without a profiler, too. $programs: those
-- instead. A wait for room among a device's commands is neither: the device has work then.
SELECT t.rank::BIGINT AS rank, s.begin_ns::BIGINT AS begin_ns, (s.begin_ns + s.dur_ns)::BIGINT AS end_ns, x.text AS name
FROM raw.other_spans s
JOIN raw.tracks t ON t.id = s.track
JOIN raw.strings x ON x.id = s.name
WHERE s.kind = host_kind('overhead')
  AND NOT regexp_matches(x.text, 'command buffer full', 'i')
  AND $programs = regexp_matches(x.text, '^dlopen\(|(module|function)s? load|lazy.+load|compiler', 'i')
ORDER BY 1, 2
