SELECT track, begin_ns, dur_ns, rowid::INTEGER AS ref, name::INTEGER AS name, kind::INTEGER AS kind
FROM raw.device_spans
WHERE track BETWEEN $first::INTEGER AND $last::INTEGER
  AND kind = device_kind('sync')
