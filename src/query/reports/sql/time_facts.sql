-- Of what kinds of time the profile has seen any, anywhere; files of older versions did not part all of them.
SELECT EXISTS (FROM raw.resource_segments WHERE resource = resource('dataloader'))
       OR EXISTS (FROM raw.op_identities WHERE direction = direction('dataload'))
       OR EXISTS (FROM raw.other_spans WHERE kind = host_kind('data_load')) AS loading,
       EXISTS (FROM raw.other_spans WHERE kind IN (host_kind('file_io'), host_kind('os_runtime'))) AS io,
       EXISTS (FROM raw.ops) OR EXISTS (FROM raw.api_calls) OR EXISTS (FROM raw.device_spans)
       OR EXISTS (FROM raw.nvtx_ranges) OR EXISTS (FROM raw.module_calls)
       OR EXISTS (FROM raw.other_spans WHERE kind <> host_kind('other'))
       OR NOT EXISTS (FROM raw.memory_events)
          AND NOT EXISTS (FROM raw.diagnostics WHERE key = 'nothing_known') AS timed,
       NOT EXISTS (FROM raw.meta WHERE key = 'time_classes') AS parted,
       (SELECT lost FROM kernels_lost) AS kernels_lost,
       (SELECT told FROM copies_told) AS copies,
       -- Of the host: where no device works.
       EXISTS (FROM raw.resource_segments WHERE resource = resource('communication'))
       OR EXISTS (FROM raw.collective_members WHERE host_span >= 0) AS communication,
       -- Something beside ops and calls of the API that tells that the program runs.
       EXISTS (FROM raw.python_frames) OR EXISTS (FROM raw.module_calls) OR EXISTS (FROM raw.annotations)
       OR EXISTS (FROM raw.nvtx_ranges)
       OR EXISTS (FROM raw.other_spans
                  WHERE kind IN (host_kind('os_runtime'), host_kind('library'), host_kind('message'))) AS host
