SELECT sum(d.dur_ns)::BIGINT AS ns,
       (sum(d.dur_ns) FILTER (
           WHERE (x.copy_kind = copy_kind('HtoD') AND x.from_kind = memory_kind('Pageable'))
              OR (x.copy_kind = copy_kind('DtoH') AND x.to_kind = memory_kind('Pageable'))
       ))::BIGINT AS pageable_ns
FROM sel_device d
LEFT JOIN raw.transfers x ON x.id = d.transfer
WHERE d.kind = device_kind('copy')
