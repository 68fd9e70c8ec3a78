-- Whether the job has ranks that are not in the profile, by its size or its collectives.
SELECT coalesce(max(world_size), 0) > count(*) OR max(number) >= count(*)
       OR (SELECT coalesce(max(group_size), 0) FROM raw.collectives) > count(*)
       OR count(*) = 1 AND EXISTS (FROM raw.kernel_names WHERE class = kernel_class('communication')) AS elsewhere
FROM raw.ranks
