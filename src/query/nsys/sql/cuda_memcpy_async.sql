SELECT dur_ns, begin_ns + $offset_ns AS start_ns, from_kind, to_kind, bytes, pid, device, context, green_context,
       stream, call
FROM memory_operations m
WHERE kind = device_kind('copy')
  AND (call LIKE 'cudaMemcpy%Async%' OR call LIKE 'cuMemcpy%Async%')
  AND (from_number = memory_kind('Pageable') OR to_number = memory_kind('Pageable'))
ORDER BY dur_ns DESC, m.begin_ns, rid
LIMIT $rows
