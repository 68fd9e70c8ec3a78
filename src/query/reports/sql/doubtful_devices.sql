-- A number that devices of several ranks of one machine have, where nothing tells whether they are one. NCCL and RCCL
-- refuse two ranks on one device: where they ran or are the backend, they are not.
SELECT any_value(u.number)::BIGINT AS number,
       array_to_string(list_sort(list(DISTINCT r.number))[:8], ', ')
           || CASE WHEN count(DISTINCT r.number) > 8 THEN ', ...' ELSE '' END AS ranks
FROM used_devices u
JOIN raw.ranks r ON r.id = u.rank
WHERE u.worked AND starts_with(u.identity, 'rank ') AND r.host <> ''
  AND NOT regexp_matches(lower(r.backend), '[nr]ccl') AND u.id NOT IN (SELECT device FROM raw.comm_segments)
GROUP BY r.host, u.number
HAVING count(DISTINCT r.id) > 1
ORDER BY 1, 2
LIMIT 1
