-- What $rank does in an iteration beside waiting for others, and what the others do: medians of the own time, and
-- kernels on average, without collectives. Needs scored_times.
WITH own AS (
    SELECT rank, median(own_ns) AS own_ns, count(*) AS iterations
    FROM scored_times
    WHERE iteration >= 0 AND own_ns IS NOT NULL
    GROUP BY rank
), launched AS (
    SELECT r.number AS rank, count(*) AS kernels
    FROM sel_device d
    JOIN raw.tracks t ON t.id = d.track
    JOIN raw.ranks r ON r.id = t.rank
    JOIN raw.kernel_names k ON k.id = d.name AND k.class <> kernel_class('communication')
    WHERE d.kind = device_kind('kernel')
    GROUP BY r.number
)
SELECT (round(median(o.own_ns) FILTER (WHERE o.rank = $rank)))::BIGINT AS own_ns,
       (round(median(o.own_ns) FILTER (WHERE o.rank <> $rank)))::BIGINT AS others_own_ns,
       median(coalesce(l.kernels, 0) / o.iterations) FILTER (WHERE o.rank = $rank) AS kernels,
       median(coalesce(l.kernels, 0) / o.iterations) FILTER (WHERE o.rank <> $rank) AS others_kernels
FROM own o
LEFT JOIN launched l ON l.rank = o.rank
