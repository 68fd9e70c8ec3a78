SELECT s.track, s.begin_ns, s.dur_ns, s.driver::INTEGER AS kind, s.name AS "@string", nullif(s.iteration, -1) AS iteration,
       nullif(s.correlation, -1) AS correlation, nullif(s.result, 0) AS result, s.id AS "@launches"
FROM raw.api_calls s
WHERE $start IS NULL OR s.iteration BETWEEN $start AND $stop
