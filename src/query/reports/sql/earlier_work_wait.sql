-- How long the first device work of the recording waited, the longest of all ranks, and their wall clock. Needs
-- first_work_waits.
SELECT coalesce((SELECT max(end_ns - begin_ns) FROM first_work_waits), 0)::BIGINT AS longest_ns,
       coalesce((SELECT sum(end_ns - begin_ns) FROM sel_wall), 0)::BIGINT AS wall_ns,
       (SELECT count(*) FROM raw.ranks) AS ranks
