-- Collectives on the host, as ranges of a backend tell them, matched among the ranks by their order: for each call its
-- rank and times, and where every rank made it the rank that began last, and when.
WITH calls AS (
    SELECT t.rank, a.name, a.begin_ns, a.begin_ns + a.dur_ns AS end_ns,
           row_number() OVER (PARTITION BY t.rank, a.name ORDER BY a.begin_ns) AS number
    FROM sel_annotations a
    JOIN raw.tracks t ON t.id = a.track
    JOIN raw.strings x ON x.id = a.name AND regexp_matches(x.text, '^(gloo|mpi|ucc):')
), matched AS (
    SELECT name, number, max(begin_ns) AS last_begin_ns, arg_max(rank, begin_ns) AS last_rank
    FROM calls
    GROUP BY name, number
    HAVING count(*) > 1 AND count(*) = (SELECT count(*) FROM raw.ranks)
)
SELECT c.rank::BIGINT AS rank, c.begin_ns::BIGINT AS begin_ns, c.end_ns::BIGINT AS end_ns,
       coalesce(greatest(least(m.last_begin_ns, c.end_ns) - c.begin_ns, 0), 0)::BIGINT AS waiting_ns,
       coalesce(r.number, -1)::BIGINT AS last_rank
FROM calls c
LEFT JOIN matched m ON m.name = c.name AND m.number = c.number
LEFT JOIN raw.ranks r ON r.id = m.last_rank
ORDER BY 1, 2
