-- For how much of the wall clock some device was at work.
SELECT 100.0 * sum(ns) / (SELECT nullif(sum(wall_ns), 0) FROM sel_wall_sums)
FROM resource_times
WHERE resource IN (resource('tensor_core_kernel'), resource('other_kernel'), resource('unknown_kernel'),
                   resource('communication'), resource('memory'))
