-- The iterations of the range, of ranks that take part in the same collectives; none where no such were matched.
SELECT rank, number, begin_ns, end_ns
FROM sel_iterations
WHERE EXISTS (FROM raw.collective_calls WHERE members > 1)
ORDER BY rank, begin_ns
