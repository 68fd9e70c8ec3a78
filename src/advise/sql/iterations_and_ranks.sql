-- Iterations of the range, all ranks together, and ranks.
SELECT (SELECT count(*) FROM sel_iterations) AS iterations, (SELECT count(DISTINCT rank) FROM sel_wall) AS ranks
