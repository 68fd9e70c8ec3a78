CREATE TEMP VIEW sel_wall_sums AS
SELECT rank,
       -- Of a source that tells how long work took and not when there is no wall clock.
       CASE WHEN NOT EXISTS (FROM raw.meta WHERE key = 'property.source.times') THEN sum(end_ns - begin_ns)::BIGINT END
           AS wall_ns
FROM sel_wall
GROUP BY rank;

-- That kernels were launched, and not one is in the recording.
CREATE TEMP VIEW kernels_lost AS
SELECT NOT EXISTS (FROM raw.device_spans WHERE kind IN (device_kind('kernel'), device_kind('graph')))
       AND EXISTS (FROM raw.diagnostics WHERE key = 'lost_device_work') AS lost;

-- Whether the recording tells of copies and sets. Without any, calls tell whether there were none or none was recorded.
CREATE TEMP VIEW copies_told AS
SELECT EXISTS (FROM raw.device_spans WHERE kind IN (device_kind('copy'), device_kind('set')))
       OR (EXISTS (FROM raw.api_calls)
           AND NOT EXISTS (FROM raw.api_calls
                           WHERE name IN (SELECT id FROM raw.strings WHERE regexp_matches(text, '[Mm]em(cpy|set)'))))
           AS told
