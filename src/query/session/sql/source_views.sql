-- The other relations of a Source.
CREATE TEMP VIEW st_range AS FROM all_ranges WHERE in_window(begin_ns, dur_ns);

CREATE TEMP VIEW st_host AS
SELECT id, track, begin_ns, begin_ns + dur_ns AS end_ns, dur_ns, name, kind, category
FROM raw.other_spans
WHERE NOT has_flag(flags, 'unfinished') AND in_window(begin_ns, dur_ns);

CREATE TEMP VIEW st_memop AS
SELECT g.*,
       CASE WHEN g.kind = device_kind('set') THEN '[CUDA memset]'
            ELSE '[CUDA memcpy ' || coalesce(c.label, 'Unknown') || ']' END AS operation,
       t.copy_kind, t.from_kind AS from_number, t.to_kind AS to_number,
       coalesce(f.label, CASE WHEN g.kind = device_kind('set') THEN o.label END) AS from_kind,
       CASE WHEN g.kind = device_kind('copy') THEN o.label END AS to_kind
FROM st_gpu g
LEFT JOIN raw.transfers t ON t.id = g.transfer
LEFT JOIN copy_labels c ON c.id = t.copy_kind
LEFT JOIN memory_labels f ON f.id = t.from_kind
LEFT JOIN memory_labels o ON o.id = t.to_kind
WHERE is_transfer(g.kind);

CREATE TEMP VIEW st_fault AS
SELECT time_ns AS begin_ns, dur_ns, track, device, address, count, access
FROM raw.page_faults
WHERE in_window(time_ns, dur_ns)
