-- What stands for ranges where a profile has no NVTX: annotations, and with $all_named what PyTorch's emit_nvtx would
-- have made ranges of besides. Labels of ops are below -1.
CREATE TEMP VIEW all_ranges AS
SELECT id, track, begin_ns, begin_ns + dur_ns AS end_ns, dur_ns, name AS label, 0::TINYINT AS style,
       true AS same_thread
FROM raw.annotations
WHERE NOT has_flag(flags, 'unfinished') AND NOT has_flag(flags, 'instant')
UNION ALL
SELECT id, track, begin_ns, begin_ns + dur_ns, dur_ns, name, 0::TINYINT, true
FROM raw.module_calls
WHERE $all_named
UNION ALL
SELECT id, track, begin_ns, begin_ns + dur_ns, dur_ns, -2 - op, 0::TINYINT, true
FROM raw.ops
WHERE $all_named AND NOT has_flag(flags, 'unfinished') AND NOT has_flag(flags, 'instant');

CREATE TEMP VIEW st_labels AS
SELECT id, ':' || text AS text, '' AS domain, text AS name
FROM raw.strings
WHERE id IN (SELECT name FROM raw.annotations UNION SELECT name FROM raw.module_calls)
UNION ALL
SELECT -2 - id, ':' || name, '', name
FROM raw.op_identities
