SELECT m.begin_ns + $offset_ns AS start_ns, m.end_ns + $offset_ns AS end_ns, m.dur_ns, m.text, t.pid, t.tid,
       nullif(m.tag, -1) AS tag,
       nullif(m.rank, -1) AS rank,
       nullif(m.peer, -1) AS peer,
       nullif(m.root, -1) AS root,
       nullif(m.bytes, -1) AS bytes,
       nullif(m.sent_bytes, -1) AS sent_bytes,
       nullif(m.received_bytes, -1) AS received_bytes
FROM mpi_calls m
JOIN raw.tracks t ON t.id = m.track
ORDER BY m.begin_ns, m.id
