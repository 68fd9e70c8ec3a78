SELECT EXISTS (FROM raw.meta WHERE key IN ('framework', 'producer') AND value ILIKE '%torch%') AS torch,
       EXISTS (FROM raw.meta WHERE key = 'producer' AND value ILIKE 'opsight%') AS recorded_here,
       EXISTS (FROM raw.python_frames) AS python_frames,
       (SELECT count(*) FROM raw.ranks) AS ranks,
       EXISTS (FROM raw.strings WHERE text LIKE '%SingleProcessDataLoaderIter%') AS loads_itself,
       EXISTS (FROM raw.strings WHERE text LIKE '%MultiProcessingDataLoaderIter%') AS loads_by_workers,
       EXISTS (FROM raw.op_identities WHERE regexp_matches(name, '^(Torch-Compiled Region|## Call CompiledFxGraph)'))
           OR EXISTS (FROM raw.kernel_names WHERE regexp_matches(name, '^triton_(poi|per|red)_')) AS compiled,
       EXISTS (FROM raw.strings WHERE regexp_matches(text, '^(cuda|cu|hip)GraphLaunch')) AS graphs,
       (SELECT TRY_CAST(max(value) AS BIGINT) FROM raw.meta WHERE key = 'property.torch_threads') AS torch_threads,
       (SELECT TRY_CAST(max(value) AS BIGINT) FROM raw.meta WHERE key = 'property.cpu_count') AS processors,
       EXISTS (FROM raw.op_identities WHERE direction_name(direction) IN ('bprop', 'optimizer')) AS trains
