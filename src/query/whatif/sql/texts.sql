-- Names of calls, of data loading, of collectives among processes and of work that is not a kernel.
SELECT id::BIGINT AS id, text
FROM raw.strings
WHERE id IN (SELECT DISTINCT name FROM raw.api_calls)
   OR id IN (SELECT a.name FROM raw.annotations a JOIN raw.collective_members m ON m.host_span = a.id)
   OR id IN (SELECT DISTINCT name FROM raw.other_spans WHERE kind = host_kind('data_load'))
   OR id IN (SELECT DISTINCT name FROM raw.device_spans WHERE kind <> device_kind('kernel'))
ORDER BY id
