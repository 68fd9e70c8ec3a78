CREATE OR REPLACE TEMP TABLE range_names AS
WITH n AS (
    SELECT id, domain, range_label(name) AS name, name_stem(range_label(name)) AS stem FROM st_labels
), g AS (
    SELECT domain, stem,
           coalesce(min(id) FILTER (WHERE id IN (SELECT label FROM st_range)), min(id)) AS first, count(*) AS names
    FROM n
    GROUP BY ALL
)
SELECT n.id, n.domain, CASE WHEN g.names > 1 THEN g.stem ELSE n.name END AS name, g.first
FROM n
JOIN g ON g.domain = n.domain AND g.stem = n.stem;

CREATE TEMP TABLE IF NOT EXISTS merged_ranges AS FROM range_sums
