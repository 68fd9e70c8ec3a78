SELECT s.track, s.begin_ns, s.dur_ns, s.kind,
       CASE WHEN s.kind = device_kind('kernel') THEN s.name END AS "@kernel",
       CASE WHEN s.kind <> device_kind('kernel') THEN s.name END AS "@string",
       nullif(s.iteration, -1) AS iteration, nullif(s.correlation, -1) AS correlation,
       nullif(s.external_id, -1) AS "External id", nullif(s.op, -1) AS "@for_op",
       CASE WHEN is_transfer(s.kind) THEN nullif(s.bytes, -1) END AS bytes, nullif(s.config, -1) AS "@config",
       nullif(s.transfer, -1) AS "@transfer", nullif(s.collective, -1) AS "@collective", s.track AS "@stream",
       CASE WHEN s.launch >= 0 THEN s.rowid END AS "@launched"
FROM raw.device_spans s
WHERE $start IS NULL OR s.iteration BETWEEN $start AND $stop
