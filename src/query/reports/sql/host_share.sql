-- How many hosts there are, and how much of the differences between ranks those between hosts explain. Needs
-- scored_times.
WITH ranks AS MATERIALIZED (
    SELECT rank, any_value(host) AS host, avg(own_ns) AS own_ns
    FROM scored_times
    WHERE host IS NOT NULL
    GROUP BY rank
), means AS (
    SELECT own_ns, avg(own_ns) OVER (PARTITION BY host) AS of_host, (SELECT avg(own_ns) FROM ranks) AS of_all
    FROM ranks
)
SELECT (SELECT count(DISTINCT host) FROM ranks)::BIGINT AS hosts,
       CASE WHEN (SELECT count(*) FROM ranks) > (SELECT count(DISTINCT host) FROM ranks)
            THEN 100.0 * sum((of_host - of_all) ** 2) / nullif(sum((own_ns - of_all) ** 2), 0) END AS share_pct
FROM means
