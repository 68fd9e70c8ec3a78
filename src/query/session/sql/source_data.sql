-- What the source has, in the order of Data.
SELECT EXISTS (FROM st_api) AS api,
       EXISTS (FROM st_gpu WHERE kind = device_kind('kernel')) AS kernels,
       EXISTS (FROM st_gpu WHERE is_transfer(kind)) AS memory,
       EXISTS (FROM st_gpu WHERE kind = device_kind('copy')) AS copies,
       EXISTS (FROM st_gpu WHERE kind = device_kind('set')) AS sets,
       EXISTS (FROM st_range) AS nvtx,
       EXISTS (FROM st_host WHERE kind = host_kind('os_runtime') AND category < 0) AS os_runtime,
       EXISTS (FROM st_host WHERE kind = host_kind('os_runtime') AND category >= 0) AS syscalls,
       EXISTS (FROM st_host WHERE kind = host_kind('message')) AS mpi,
       EXISTS (FROM st_fault)
           OR EXISTS (FROM st_memop WHERE copy_kind IN (SELECT id FROM copy_labels WHERE label LIKE 'Unified %'))
           AS page_faults
