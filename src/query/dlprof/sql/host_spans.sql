-- Data loading; and file I/O, which the operating system's calls tell where they were recorded.
SELECT s.begin_ns, s.begin_ns + s.dur_ns AS end_ns, s.kind = host_kind('data_load') AS loading
FROM raw.other_spans s
LEFT JOIN raw.strings x ON x.id = s.name
WHERE s.kind IN (host_kind('data_load'), host_kind('file_io'))
   OR (s.kind = host_kind('os_runtime')
       AND x.text IN ('read', 'write', 'pread', 'pread64', 'pwrite', 'pwrite64', 'readv', 'writev', 'preadv', 'pwritev',
                      'fread', 'fwrite', 'fgets', 'fputs', 'fgetc', 'fputc', 'fflush', 'fsync'))
