CREATE TEMP VIEW sel_wall_sums AS
SELECT rank, sum(end_ns - begin_ns)::BIGINT AS wall_ns
FROM sel_wall
GROUP BY rank
