-- Hosts by what others waited for their ranks.
SELECT host, count(DISTINCT run) AS runs_count, count(*) AS ranks_count, {{median(score)}} AS median_score,
       max(score) AS largest_score, sum(caused_ns) AS total_caused_ns,
       100 * {{ratio(sum(caused_ns), (SELECT sum(caused_ns) FROM {{ranks}} WHERE {{chosen}}))}} AS total_caused_pct,
       CASE WHEN count(pattern) > 0 THEN sum(CASE WHEN pattern = 'persistent' THEN 1 ELSE 0 END) ELSE NULL END
           AS persistent_ranks
FROM {{ranks}}
WHERE {{chosen}} AND host IS NOT NULL
GROUP BY host
ORDER BY coalesce(total_caused_ns, 0) DESC, host
{{limit}}
