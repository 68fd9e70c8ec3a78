SELECT number AS rank,
       number_known AS rank_known,
       nullif(world_size, -1) AS world_size,
       nullif(host, '') AS host,
       nullif(backend, '') AS backend,
       source
FROM raw.ranks
