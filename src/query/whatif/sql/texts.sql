-- Names of calls, of data loading, of collectives among processes and of work that is not a kernel.
SELECT id::BIGINT AS id, text
FROM raw.strings
WHERE names_host_collective(text)
   OR id IN (SELECT DISTINCT name FROM raw.api_calls)
   OR id IN (SELECT DISTINCT name FROM raw.other_spans WHERE kind = host_kind('data_load'))
   OR id IN (SELECT DISTINCT name FROM raw.device_spans WHERE kind <> device_kind('kernel'))
ORDER BY id
