-- Of the whole profile, whatever range is chosen. Unattributed: neither a launching call nor the op in the profile.
SELECT (SELECT count(*) FROM raw.device_spans WHERE kind = device_kind('kernel')) AS kernels,
       (SELECT count(*) FROM raw.device_spans WHERE kind = device_kind('copy')) AS memcpys,
       (SELECT count(*) FROM raw.device_spans WHERE kind = device_kind('set')) AS memsets,
       (SELECT count(*) FROM raw.api_calls) AS api_calls,
       (SELECT count(*) FROM raw.ops) AS ops,
       (SELECT count(*) FROM raw.annotations) AS annotations,
       (SELECT count(*)
        FROM raw.nvtx_ranges r
        JOIN raw.nvtx_attributes a ON a.id = r.attributes
        WHERE a.type IN (range_style('push_pop'), range_style('start_end'))) AS nvtx_ranges,
       (SELECT count(*)
        FROM raw.nvtx_ranges r
        JOIN raw.nvtx_attributes a ON a.id = r.attributes
        WHERE a.type = range_style('mark')) AS nvtx_marks,
       -- The trace of a source that records Python tells calls of modules as frames of it.
       (SELECT count(*) FROM raw.python_frames)
           + (SELECT count(*) FROM raw.module_calls WHERE id NOT IN (SELECT id FROM raw.nvtx_ranges)) AS python_frames,
       (SELECT count(*)
        FROM raw.device_spans
        WHERE kind = device_kind('kernel') AND launch = -1 AND op_span = -1)
           AS unattributed_kernels,
       (SELECT count(*) FROM raw.module_calls) AS module_calls,
       (SELECT count(*) FROM raw.device_spans WHERE kind = device_kind('annotation')) AS device_annotations,
       (SELECT count(*) FROM raw.device_spans WHERE NOT is_work(kind) AND kind <> device_kind('annotation'))
           AS other_device_spans,
       (SELECT count(*) FROM raw.other_spans) AS other_spans,
       (SELECT count(*) FROM raw.memory_events) AS memory_events,
       (SELECT count(*) FROM raw.counters) AS counter_samples,
       -- Calls of MPI and UCX on the host, as calls or as NVTX ranges.
       (SELECT count(*) FROM raw.other_spans WHERE kind = host_kind('message'))
           + (SELECT count(*)
              FROM raw.nvtx_ranges v
              JOIN raw.nvtx_attributes k ON k.id = v.attributes
              WHERE k.domain_name IN ('MPI', 'UCX')) AS messages,
       (SELECT count(*) FROM raw.layers) AS layers,
       (SELECT count(*) FROM raw.kernel_names) AS distinct_kernels,
       (SELECT count(*) FROM raw.op_identities) AS distinct_ops,
       (SELECT count(*) FROM raw.model_nodes) AS model_nodes,
       (SELECT count(*)
        FROM raw.device_spans s
        JOIN raw.kernel_names k ON k.id = s.name
        WHERE s.kind = device_kind('kernel') AND k.class = kernel_class('communication')) AS communication_kernels
