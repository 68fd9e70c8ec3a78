-- How many devices worked for several ranks, and the first of them.
SELECT count(*) OVER (PARTITION BY true) AS shared, number,
       array_to_string(ranks[:8], ', ') || CASE WHEN len(ranks) > 8 THEN ', ...' ELSE '' END AS ranks,
       split_part(identity, ' ', 1) AS known_by
FROM physical_devices
WHERE len(ranks) > 1
ORDER BY number, identity
LIMIT 1
