-- The iterations of the range, and whether their ranks take part in the same collectives.
SELECT rank, number, begin_ns, end_ns, EXISTS (FROM raw.collective_calls WHERE members > 1) AS collective
FROM sel_iterations
ORDER BY rank, begin_ns
