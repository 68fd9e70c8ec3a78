SELECT id, nullif(name, '') AS "Collective name", nullif(dtype, '') AS dtype, nullif(group_name, '') AS "Process Group Name",
       nullif(group_description, '') AS "Process Group Description", nullif(group_ranks, '') AS "Process Group Ranks",
       CASE WHEN in_elements >= 0 THEN in_elements END AS "In msg nelems",
       CASE WHEN out_elements >= 0 THEN out_elements END AS "Out msg nelems",
       CASE WHEN group_size > 0 THEN group_size END AS "Group size"
FROM raw.collectives
