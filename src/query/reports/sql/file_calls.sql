-- Calls within the time that goes to files and streams, by name.
WITH calls AS (
    SELECT t.rank, x.text AS name, s.kind = host_kind('file_io') AS of_files,
           s.begin_ns, s.begin_ns + s.dur_ns AS end_ns, s.dur_ns
    FROM raw.other_spans s
    JOIN raw.tracks t ON t.id = s.track
    JOIN raw.strings x ON x.id = s.name
    WHERE s.kind IN (host_kind('file_io'), host_kind('os_runtime'))
)
SELECT name, of_files, count(*) AS calls, sum(within_ns)::BIGINT AS ns, max(dur_ns) AS longest_ns,
       2 * max(within_ns) >= sum(within_ns) AS mostly_one
FROM within_resource('calls', 'file_io')
WHERE within_ns > 0
GROUP BY name, of_files
ORDER BY ns DESC, name
