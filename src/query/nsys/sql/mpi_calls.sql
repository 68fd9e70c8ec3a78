-- `source`: which side of MPI a call belongs to, told by the arguments that it has, else by its name: a barrier has
-- none.
CREATE OR REPLACE TEMP VIEW mpi_calls AS
SELECT h.*, s.text, m.tag, m.rank, m.peer, m.root, m.bytes, m.sent_bytes, m.received_bytes,
       CASE
           WHEN m.root >= 0 OR m.sent_bytes >= 0 OR m.received_bytes >= 0 THEN 'coll'
           WHEN m.tag >= 0 OR m.peer >= 0 OR m.bytes >= 0 THEN 'p2p'
           WHEN regexp_matches(s.text, '^MPI_I?(barrier|bcast|gather|scatter|all|reduce|scan|exscan|neighbor_all)', 'i')
               AND NOT starts_with(s.text, 'MPI_Alloc') AND s.text <> 'MPI_Reduce_local' THEN 'coll'
           WHEN regexp_matches(s.text, '^MPI_(start|wait|test)(all|any|some)?$', 'i') THEN 'startwait'
           ELSE 'other'
       END AS source
FROM st_host h
JOIN raw.strings s ON s.id = h.name
LEFT JOIN raw.messages m ON m.id = h.id
WHERE h.kind = host_kind('message') AND starts_with(s.text, 'MPI_')
