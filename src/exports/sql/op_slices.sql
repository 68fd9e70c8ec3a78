SELECT s.track, s.begin_ns, s.dur_ns, 0 AS kind, s.op AS "@op", nullif(s.iteration, -1) AS iteration,
       nullif(s.external_id, -1) AS "External id", nullif(s.sequence, -1) AS "Sequence number",
       nullif(s.forward_thread, -1) AS "Fwd thread id", nullif(s.signature, -1) AS "@signature"
FROM raw.ops s
WHERE $start IS NULL OR s.iteration BETWEEN $start AND $stop
