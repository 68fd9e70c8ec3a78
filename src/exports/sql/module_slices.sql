SELECT s.track, s.begin_ns, s.dur_ns, 0 AS kind, s.name AS "@string", nullif(s.iteration, -1) AS iteration,
       nullif(s.layer, -1) AS "@layer"
FROM raw.module_calls s
WHERE $start IS NULL OR s.iteration BETWEEN $start AND $stop
