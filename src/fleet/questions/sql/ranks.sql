-- Who others waited for. Ranks of jobs whose waiting is not known come last, by how long they took.
SELECT run, run_name, rank, host, iterations, own_ns, score, pattern, iterations_last, caused_ns, caused_pct,
       cause, cause_op
FROM {{ranks}}
{{join}} (SELECT run, name AS run_name FROM {{runs}}) AS names USING (run)
WHERE {{chosen}} AND (caused_ns > 0 OR score > 1)
ORDER BY coalesce(caused_ns, 0) DESC, coalesce(score, 0) DESC, run, rank
{{limit}}
