-- The function that faulted; the address of the memory where it is not known.
SELECT sum(count)::BIGINT AS faults, coalesce(nullif(access, ''), address_text(address)) AS place
FROM st_fault
WHERE device < 0
GROUP BY place
ORDER BY faults DESC, place
