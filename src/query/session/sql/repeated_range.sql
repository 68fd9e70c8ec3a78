-- The range that most likely is the program's main loop. Names alike but for their numbers count as one: "iter 17". Of
-- each the thread that has most; names that say what they are come first, then what takes most time. Ranges of
-- libraries are not steps of the program.
WITH c AS (
    SELECT a.name, a.track, count(*) AS count, sum(a.dur_ns) AS total
    FROM raw.annotations a
    LEFT JOIN raw.nvtx_ranges v ON v.id = a.id
    LEFT JOIN raw.nvtx_attributes k ON k.id = v.attributes
    WHERE NOT has_flag(a.flags, 'unfinished')
      AND NOT has_flag(a.flags, 'instant')
      AND coalesce(k.domain_name, '') NOT IN (
          'MPI', 'UCX', 'NCCL', 'NVSHMEM', 'TensorRT', 'CUDNN', 'cuDNN', 'cuBLAS', 'cuBLASLt', 'cuFFT', 'cuSOLVER',
          'cuSPARSE', 'cuRAND', 'CCCL'
      )
    GROUP BY ALL
), n AS (
    SELECT x.text, name_stem(x.text) AS stem, c.track, c.count, c.total
    FROM c
    JOIN raw.strings x ON x.id = c.name
), s AS (
    SELECT stem, track, sum(count)::BIGINT AS count, sum(total) AS total, min(text) AS text,
           count(DISTINCT text) AS names
    FROM n
    GROUP BY ALL
    HAVING sum(count) >= 3
)
SELECT CASE WHEN names = 1 THEN text ELSE stem END AS name, names > 1 AS numbered, count
FROM s
ORDER BY regexp_matches(stem, '(?i)(^|[^a-z])(step|iter|iteration|frame|batch|minibatch|epoch|cycle|tick|timestep|'
                              || 'request)s?([^a-z]|$)') DESC,
         total DESC, stem
LIMIT 1
