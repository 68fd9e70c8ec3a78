-- Texts of one label count as one: hooks around modules tell the shapes of each call besides.
CREATE TEMP TABLE range_names AS
WITH n AS (
    SELECT id, domain, range_label(name) AS name FROM st_labels
), g AS (
    SELECT domain, name,
           coalesce(min(id) FILTER (WHERE id IN (SELECT label FROM st_range)), min(id)) AS first
    FROM n
    GROUP BY ALL
)
SELECT n.id, n.domain, n.name, g.first
FROM n
JOIN g USING (domain, name);

-- Sums over st_range; range_names tells which labels count as one, as what.
CREATE TEMP VIEW range_sums AS
WITH s AS (
    SELECT n.first AS label, style, count(*) AS calls, sum(dur_ns)::BIGINT AS total_ns,
           round(avg(dur_ns))::BIGINT AS avg_ns, round(quantile_cont(dur_ns, 0.5))::BIGINT AS median_ns,
           round(quantile_cont(dur_ns, 0.95))::BIGINT AS p95_ns, min(dur_ns) AS min_ns, max(dur_ns) AS max_ns,
           round(stddev_samp(dur_ns))::BIGINT AS stddev_ns, count(DISTINCT track) AS threads
    FROM st_range r
    JOIN range_names n ON n.id = r.label
    GROUP BY ALL
), b AS (
    SELECT n.first AS label, style, sum(self_ns) FILTER (WHERE self_ns >= 0)::BIGINT AS self_ns,
           sum(gpu_ns)::BIGINT AS gpu_ns, sum(gpu_ops)::BIGINT AS gpu_ops, sum(again_ns)::BIGINT AS again_ns
    FROM range_beyond
    JOIN range_names n ON n.id = label
    GROUP BY ALL
)
SELECT s.* REPLACE (s.total_ns - b.again_ns AS total_ns), b.self_ns,
       CASE WHEN b.gpu_ops > 0 THEN b.gpu_ns END AS gpu_ns, nullif(b.gpu_ops, 0) AS gpu_ops,
       l.domain, l.name
FROM s
JOIN b USING (label, style)
JOIN range_names l ON l.id = s.label;

CREATE TEMP TABLE sel_ranges AS FROM range_sums
