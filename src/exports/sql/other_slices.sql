SELECT s.track, s.begin_ns, s.dur_ns, s.kind, s.name AS "@string", nullif(s.iteration, -1) AS iteration,
       nullif(s.category, -1) AS "@category"
FROM raw.other_spans s
WHERE $start IS NULL OR s.iteration BETWEEN $start AND $stop
