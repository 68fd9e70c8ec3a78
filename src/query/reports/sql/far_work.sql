-- The kernels of an op that take $ns or longer each and less than $pct % of which their counted work needs at least.
CREATE OR REPLACE TEMP TABLE far_work AS
SELECT rank, op, kernel, time_ns, bound_ns, math
FROM bounds_of_kernels
WHERE bound_ns < $pct / 100 * time_ns AND time_ns >= $ns * spans
