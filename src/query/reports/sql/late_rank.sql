-- What $rank does in an iteration beside waiting for others, and what the others do: medians of the own time, and
-- kernels on average, without collectives; and the class of its time that most of the difference is in. Needs
-- scored_times.
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
), classes AS (
    UNPIVOT (
        SELECT rank, computing_ns AS computing, copying_ns AS copying, loading_ns AS "loading data",
               host_ns AS "work of the CPU", idle_ns AS idle
        FROM rank_shares
        WHERE iteration >= 0
    ) ON COLUMNS(* EXCLUDE (rank)) INTO NAME class VALUE ns
), excess AS (
    SELECT class, (round(median(ns) FILTER (WHERE rank = $rank)))::BIGINT AS ns,
           (round(median(ns) FILTER (WHERE rank <> $rank)))::BIGINT AS others_ns
    FROM classes
    GROUP BY class
), most AS (
    FROM excess QUALIFY row_number() OVER (ORDER BY ns - others_ns DESC, class) = 1
)
SELECT (round(median(o.own_ns) FILTER (WHERE o.rank = $rank)))::BIGINT AS own_ns,
       (round(median(o.own_ns) FILTER (WHERE o.rank <> $rank)))::BIGINT AS others_own_ns,
       median(coalesce(l.kernels, 0) / o.iterations) FILTER (WHERE o.rank = $rank) AS kernels,
       median(coalesce(l.kernels, 0) / o.iterations) FILTER (WHERE o.rank <> $rank) AS others_kernels,
       any_value(m.class) AS class, any_value(m.ns) AS class_ns, any_value(m.others_ns) AS others_class_ns
FROM own o
CROSS JOIN most m
LEFT JOIN launched l ON l.rank = o.rank
