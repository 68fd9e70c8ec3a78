SELECT dur_ns, begin_ns + $offset_ns AS start_ns, from_kind, to_kind, bytes, pid, device, context, green_context,
       stream, call
FROM memory_operations m
WHERE kind = device_kind('copy')
  AND (call LIKE 'cudaMemcpy%' OR call LIKE 'cuMemcpy%')
  AND call NOT LIKE '%Async%'
  AND NOT (copy_kind = copy_kind('HtoD') AND bytes <= $small_bytes)
ORDER BY dur_ns DESC, m.begin_ns, rid
LIMIT $rows
