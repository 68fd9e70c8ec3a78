-- What `opsight advise` says, by in how many jobs it says it.
SELECT finding, kind, count(DISTINCT run) AS runs_count,
       100 * {{ratio(count(DISTINCT run), (SELECT count(*) FROM {{runs}} WHERE {{chosen}}))}} AS runs_pct,
       sum(CASE WHEN severity = 'high' THEN 1 ELSE 0 END) AS high_count,
       {{median(bound_pct)}} AS median_bound_pct, max(bound_pct) AS largest_bound_pct,
       CASE WHEN count(bound_pct) > 0 THEN argMax(run, coalesce(bound_pct, 0)) ELSE NULL END AS worst_run,
       CASE WHEN count(bound_pct) > 0 THEN argMax(title, coalesce(bound_pct, 0)) ELSE min(title) END AS worst_title
FROM {{findings}}
WHERE {{chosen}}
GROUP BY finding, kind
ORDER BY CASE kind WHEN 'problem' THEN 0 WHEN 'unknown' THEN 1 WHEN 'note' THEN 2 ELSE 3 END, runs_count DESC,
         coalesce(median_bound_pct, 0) DESC, finding
{{limit}}
