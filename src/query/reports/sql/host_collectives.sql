-- Calls of collectives on the host in the range: rank and times, what each waited for the rank that came last, and that
-- rank; 0 and -1 where not every rank of the profile is known to have made the collective. Needs matched_collectives.
SELECT m.rank::BIGINT AS rank, m.begin_ns::BIGINT AS begin_ns, (m.begin_ns + m.dur_ns)::BIGINT AS end_ns,
       CASE WHEN a.all_ranks THEN greatest(m.waiting_ns, 0) ELSE 0 END::BIGINT AS waiting_ns,
       CASE WHEN a.all_ranks THEN r.number ELSE -1 END::BIGINT AS last_rank
FROM range_members m
JOIN (
    SELECT id, last_rank,
           state = match_state('matched') AND members > 1 AND members = (SELECT count(*) FROM raw.ranks) AS all_ranks
    FROM raw.collective_calls
) a ON a.id = m.call
LEFT JOIN raw.ranks r ON r.id = a.last_rank
WHERE m.host_span >= 0
ORDER BY 1, 2
