-- The range that most likely is the program's main loop. Names alike but for their numbers count as one: "iter 17". Of
-- each the thread that has most; names that say what they are come first, then what takes most time. Ranges of
-- libraries and lines of code (markers of PyProf) are not steps of the program. Those within another of the name are
-- part of it. What is open in less than a twentieth of the time from its first to its last is a call, and no part of a
-- loop. Nor is what takes less than a tenth of the recording, unless its name says what it is.
WITH c AS (
    SELECT a.name, a.track, count(*) AS count, sum(a.dur_ns) AS total, min(a.begin_ns) AS first_ns,
           max(a.begin_ns + a.dur_ns) AS last_ns
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
    SELECT x.text, name_stem(x.text) AS stem, c.track, c.count, c.total, c.first_ns, c.last_ns
    FROM c
    JOIN raw.strings x ON x.id = c.name
), s AS (
    SELECT stem, track, sum(count)::BIGINT AS count, sum(total) AS total, min(text) AS text,
           count(DISTINCT text) AS names
    FROM n
    GROUP BY ALL
    HAVING sum(count) >= 3 AND NOT regexp_matches(stem, '\.py:#?\d*$')
           AND sum(total) >= 0.05 * (max(last_ns) - min(first_ns))
), best AS MATERIALIZED (
    SELECT CASE WHEN names = 1 THEN text ELSE stem END AS name, names > 1 AS numbered, stem, track,
           regexp_matches(stem, '(?i)(^|[^a-z])(step|iter|iteration|frame|batch|minibatch|epoch|cycle|tick|timestep|'
                                || 'request)s?([^a-z]|$)') AS telling
    FROM s
    WHERE telling OR total >= 0.1 * coalesce((SELECT max(wall_ns) FROM sel_wall_sums), 0)
    ORDER BY telling DESC, total DESC, stem
    LIMIT 1
), each AS (
    SELECT a.begin_ns,
           max(a.begin_ns + a.dur_ns) OVER (PARTITION BY a.track ORDER BY a.begin_ns, a.dur_ns DESC
                                            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS open_until_ns
    FROM raw.annotations a
    JOIN raw.strings x ON x.id = a.name
    JOIN best b ON b.track = a.track AND b.stem = name_stem(x.text)
    WHERE NOT has_flag(a.flags, 'unfinished') AND NOT has_flag(a.flags, 'instant')
), outermost AS (
    SELECT count(*) AS count FROM each WHERE open_until_ns IS NULL OR open_until_ns <= begin_ns
)
SELECT b.name, b.numbered, o.count, b.telling
FROM best b, outermost o
WHERE o.count >= 3
