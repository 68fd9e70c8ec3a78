SELECT r.number AS rank, nullif(r.host, '') AS host, c.clock::BIGINT AS clock, c.corrected, c.offset_ns, c.drift_ppm,
       nullif(c.error_ns, -1) AS error_ns, c.collectives, c.broken_before, c.broken_after
FROM raw.rank_clocks c
JOIN raw.ranks r ON r.id = c.rank
