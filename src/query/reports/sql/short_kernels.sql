-- Kernels, and those that last less than $ns.
SELECT count(*) AS kernels, count(*) FILTER (WHERE dur_ns < $ns) AS brief
FROM sel_device
WHERE kind = device_kind('kernel')
