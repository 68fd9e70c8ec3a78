-- One side's ops, of an iteration of a rank: the sums over its runs by how many iterations of ranks they hold. A
-- recording without iterations counts once for each rank.
SELECT op, sum(calls) AS total_calls, sum(self_gpu_ns) AS total_gpu_ns, sum(self_cpu_ns) AS total_cpu_ns,
       (SELECT sum(greatest(iterations, 1)) FROM {{ranks}} WHERE {{chosen}}) AS steps
FROM {{ops}}
WHERE {{chosen}}
GROUP BY op
ORDER BY op
