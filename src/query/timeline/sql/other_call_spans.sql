SELECT track, begin_ns, dur_ns, id::INTEGER AS ref, name::INTEGER AS name, kind::INTEGER AS kind
FROM raw.other_spans
WHERE track BETWEEN $first::INTEGER AND $last::INTEGER
  AND kind <> host_kind('os_runtime')
