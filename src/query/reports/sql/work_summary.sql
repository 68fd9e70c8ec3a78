-- One row. $device_work: whether anything ran on a device; else the processor's work is meant.
WITH lines AS (
    SELECT s.work, s.kernel, s.time_ns, s.share, w.precision, w.flops, w.bytes_min, w.matrix_flops, w.recomputed_flops,
           w.bound_ns
    FROM sel_work s
    LEFT JOIN raw.works w ON w.id = s.work
), sums AS (
    -- Rounded as in work_sums.
    SELECT sum(time_ns)::BIGINT AS time_ns,
           (sum(time_ns) FILTER (WHERE work >= 0))::BIGINT AS work_ns,
           (sum(time_ns) FILTER (WHERE bound_ns >= 0))::BIGINT AS bounded_ns,
           round(sum(share * flops)) AS flops,
           round(sum(share * bytes_min)) AS bytes,
           round(sum(share * matrix_flops)) AS matrix_flops,
           round(sum(share * recomputed_flops)) AS recomputed_flops
    FROM lines
), computing AS (
    -- Copies and sets have a bound that says nothing of the kernels. On a processor all.
    SELECT sum(s.time_ns)::BIGINT AS time_ns,
           (sum(s.time_ns) FILTER (WHERE s.work >= 0))::BIGINT AS counted_ns,
           (sum(s.time_ns) FILTER (WHERE s.bound_ns >= 0))::BIGINT AS bounded_ns,
           round(sum(s.share * s.bound_ns) FILTER (WHERE s.bound_ns >= 0), 3) AS bound_ns
    FROM lines s
    LEFT JOIN raw.kernel_names k ON k.id = s.kernel
    WHERE NOT $device_work OR k.class = kernel_class('compute')
), beside AS (
    -- Work of other iterations within the wall clock, of which the range has not counted anything.
    SELECT greatest(0, (
        SELECT coalesce(sum(least(d.begin_ns + d.dur_ns, w.end_ns) - greatest(d.begin_ns, w.begin_ns)), 0)
        FROM raw.device_spans d
        JOIN raw.kernel_names k ON k.id = d.name AND k.class = kernel_class('compute')
        JOIN raw.tracks t ON t.id = d.track
        JOIN sel_wall w ON w.rank = t.rank AND d.begin_ns < w.end_ns AND w.begin_ns < d.begin_ns + d.dur_ns
        WHERE $device_work AND d.kind = device_kind('kernel')
    ) - coalesce((SELECT time_ns FROM computing), 0)) AS ns
), products AS (
    -- The format in which most of the products ran.
    SELECT max_by(precision, in_all) AS precision
    FROM (
        SELECT precision, sum(share * matrix_flops) AS in_all
        FROM lines
        GROUP BY precision
    )
    WHERE in_all > 0
), used AS (
    SELECT id, wall_ns FROM physical_devices
    UNION ALL
    SELECT -1, max(wall_ns) FROM sel_wall_sums WHERE NOT $device_work
), device_peaks AS (
    SELECT u.id, u.wall_ns,
           max(k.flops_per_s) FILTER (WHERE k.precision = p.precision) AS of_format,
           coalesce(of_format, max(k.flops_per_s) FILTER (WHERE NOT k.matrix AND precision_name(k.precision) = 'fp32'))
           AS peak
    FROM used u
    CROSS JOIN products p
    LEFT JOIN raw.device_peaks k ON k.device = u.id
    WHERE u.wall_ns IS NOT NULL AND p.precision IS NOT NULL
    GROUP BY ALL
), peaks AS (
    -- A device whose peak is not known makes the sum unknown. `possible`: FLOPs times 1e9.
    SELECT CASE WHEN count(peak) = count(*) THEN sum(peak) END AS peak,
           CASE WHEN count(peak) = count(*) THEN round(sum(peak * wall_ns)) END AS possible,
           count(of_format) > 0 AS of_format, count(of_format) < count(*) AS of_fp32
    FROM device_peaks
), uses AS (
    SELECT 1e11 * (x.matrix_flops - x.recomputed_flops) / nullif(k.possible, 0) AS mfu_pct,
           1e11 * x.matrix_flops / nullif(k.possible, 0) AS hfu_pct,
           c.time_ns + CASE WHEN b.ns >= 0.01 * c.time_ns THEN b.ns ELSE 0 END AS all_ns,
           coalesce(c.counted_ns, 0) < 0.9995 * all_ns AS at_least,
           CASE WHEN at_least THEN 'at least ' ELSE '' END AS before,
           CASE WHEN at_least
                THEN format(' (by {:.1f}% of the kernel time)', 100.0 * coalesce(c.counted_ns, 0) / all_ns)
                ELSE ''
           END AS after
    FROM sums x, peaks k, computing c, beside b
)
SELECT 100.0 * x.work_ns / nullif(x.time_ns, 0) AS counted_pct,
       100.0 * x.bounded_ns / nullif(x.time_ns, 0) AS bounded_pct,
       CASE WHEN $device_work AND x.work_ns > 0 THEN 100.0 * coalesce(c.counted_ns, 0) / nullif(c.time_ns, 0)
       END AS kernel_counted_pct,
       -- Copies and sets are counted without FLOPs: where nothing else is, the FLOPs are not known.
       -- Neither does "at least 0" tell anything.
       CASE WHEN c.counted_ns > 0 AND (x.flops > 0 OR NOT u.at_least) THEN x.flops END AS flops,
       x.bytes AS bytes_min,
       CASE WHEN c.bounded_ns > 0 THEN 100.0 * c.bound_ns / c.bounded_ns END AS efficiency_pct,
       CASE WHEN c.counted_ns > 0 AND (x.matrix_flops > 0 OR NOT u.at_least) THEN x.matrix_flops END AS product_flops,
       CASE WHEN c.counted_ns > 0 AND (x.recomputed_flops > 0 OR NOT u.at_least) THEN x.recomputed_flops
       END AS recomputed_flops,
       CASE WHEN k.peak IS NOT NULL
            THEN concat_ws(' and ', CASE WHEN k.of_format THEN precision_name(p.precision) END,
                           CASE WHEN k.of_fp32 THEN 'fp32' END)
       END AS peak_precision,
       k.peak AS peak_flops_per_s,
       u.mfu_pct, u.hfu_pct,
       k.possible > 0 AND u.at_least AS mfu_at_least, u.at_least AS flops_at_least,
       u.before || percent_text(u.mfu_pct) || u.after AS mfu_text,
       u.before || percent_text(u.hfu_pct) || u.after AS hfu_text
FROM sums x, products p, peaks k, computing c, uses u
