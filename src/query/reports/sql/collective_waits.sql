-- Collectives that all ranks take part in, matched by kernel and order: the member that begins last has the shortest
-- kernel, and what the others take longer is waiting for it. Kernels of sends and receives are such a collective (all
-- to all) where they end together: within the time that the data took, or 100 us. No row where the ranks do not match.
WITH members AS (
    SELECT t.rank, d.name, d.begin_ns + d.dur_ns AS end_ns, d.dur_ns, l.group_size,
           regexp_matches(k.name, 'Send|Recv') AS pairs,
           row_number() OVER (PARTITION BY t.rank, d.name ORDER BY d.begin_ns, d.place) AS number
    FROM sel_device d
    JOIN raw.tracks t ON t.id = d.track
    JOIN raw.kernel_names k ON k.id = d.name AND k.class = kernel_class('communication')
    LEFT JOIN raw.collectives l ON l.id = d.collective
    WHERE d.kind = device_kind('kernel')
), collectives AS (
    SELECT count(*) AS members, min(nullif(group_size, -1)) AS group_size, sum(dur_ns) AS ns,
           sum(dur_ns) - count(*) * min(dur_ns) AS waiting_ns, arg_min(rank, dur_ns) AS last
    FROM members
    GROUP BY name, number
    HAVING NOT bool_or(pairs) OR max(end_ns) - min(end_ns) <= greatest(min(dur_ns), 100000)
), lasts AS (
    SELECT last, count(*) AS times, sum(waiting_ns)::BIGINT AS waiting_ns
    FROM collectives
    GROUP BY last
    ORDER BY waiting_ns DESC, last
    LIMIT 1
), sums AS (
    SELECT sum(ns)::BIGINT AS ns, sum(waiting_ns)::BIGINT AS waiting_ns, count(*) AS collectives
    FROM collectives
    HAVING bool_and(members = (SELECT count(*) FROM raw.ranks) AND coalesce(group_size, members) = members)
)
SELECT s.ns, s.waiting_ns, s.collectives, r.number AS last_rank, m.times, m.waiting_ns AS last_waiting_ns
FROM sums s, lasts m
JOIN raw.ranks r ON r.id = m.last
WHERE (SELECT count(*) FROM raw.ranks) > 1
