-- Collectives of the range that are known of one rank alone, or of some of their ranks. Needs matched_collectives.
SELECT count(*) AS operations
FROM raw.collective_calls c
JOIN range_calls q ON q.call = c.id
WHERE c.state <> match_state('matched')
