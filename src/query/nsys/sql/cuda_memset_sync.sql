-- Setting pinned or managed memory runs on the host's time; device memory is set without waiting.
SELECT dur_ns, begin_ns + $offset_ns AS start_ns, from_kind AS memory_kind, bytes, pid, device, context, green_context,
       stream, call
FROM memory_operations m
WHERE kind = device_kind('set')
  AND (call LIKE 'cudaMemset%' OR call LIKE 'cuMemset%')
  AND call NOT LIKE '%Async%'
  AND to_number IN (memory_kind('Pinned'), memory_kind('Managed'), memory_kind('Managed Static'))
ORDER BY dur_ns DESC, m.begin_ns, rid
LIMIT $rows
