-- A row for each migration and each group of page faults.
CREATE OR REPLACE TEMP VIEW unified_memory AS
SELECT coalesce(e.address, -1) AS address,
       CASE WHEN g.copy_kind = copy_kind('UVM HtoD') THEN g.bytes ELSE 0 END AS to_device_bytes,
       CASE WHEN g.copy_kind = copy_kind('UVM DtoH') THEN g.bytes ELSE 0 END AS to_host_bytes,
       g.bytes, g.dur_ns, 0 AS cpu_faults, 0 AS gpu_faults
FROM st_memop g
LEFT JOIN raw.device_extras e ON e.id = g.rid
WHERE g.copy_kind IN (copy_kind('UVM HtoD'), copy_kind('UVM DtoH'), copy_kind('UVM DtoD'))
UNION ALL
SELECT address, 0, 0, 0, 0,
       CASE WHEN device < 0 THEN count ELSE 0 END,
       CASE WHEN device >= 0 THEN count ELSE 0 END
FROM st_fault
