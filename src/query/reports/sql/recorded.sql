-- Whether the profile has what $report is on, in whatever range.
SELECT EXISTS (
    SELECT 1 FROM raw.api_calls WHERE $report = 'api'
    UNION ALL
    SELECT 1 FROM raw.device_spans WHERE $report = 'copies' AND is_transfer(kind)
    UNION ALL
    SELECT 1 FROM raw.kernel_names WHERE $report = 'collectives' AND class = kernel_class('communication')
    UNION ALL
    SELECT 1 FROM raw.page_faults WHERE $report = 'unified_memory'
    UNION ALL
    SELECT 1
    FROM raw.device_spans s
    JOIN raw.transfers f ON f.id = s.transfer
    WHERE $report = 'unified_memory'
      AND f.copy_kind IN (copy_kind('UVM HtoD'), copy_kind('UVM DtoH'), copy_kind('UVM DtoD'))
    UNION ALL
    SELECT 1 FROM raw.other_spans WHERE $report = 'os_runtime' AND kind = host_kind('os_runtime')
    UNION ALL
    SELECT 1 FROM raw.other_spans WHERE $report = 'file_access' AND kind = host_kind('file_io')
    UNION ALL
    SELECT 1 FROM raw.other_spans WHERE $report = 'libraries' AND kind = host_kind('library')
    UNION ALL
    SELECT 1 FROM raw.other_spans WHERE $report = 'messages' AND kind = host_kind('message')
    UNION ALL
    SELECT 1 FROM raw.counters WHERE $report = 'counters'
    UNION ALL
    SELECT 1 FROM raw.memory_events WHERE $report = 'memory_peak'
    UNION ALL
    SELECT 1 FROM raw.collective_calls WHERE $report = 'ranks'
    UNION ALL
    SELECT 1 FROM raw.ranks WHERE $report = 'ranks' AND id > 0
    UNION ALL
    SELECT 1 FROM raw.cpu_samples WHERE $report = 'cpu_samples'
    UNION ALL
    SELECT 1
    FROM raw.other_spans s
    JOIN raw.strings y ON y.id = s.category
    WHERE $report = 'scheduling' AND y.text = 'cpu_scheduling'
)
