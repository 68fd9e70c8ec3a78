-- work_sums with what reports show of them.
CREATE TEMP VIEW work_rows AS
SELECT * REPLACE (CASE WHEN work_ns >= uncounted_ns THEN bound_ns END AS bound_ns),
       uncounted_ns > 0.0005 * time_ns AS has_gaps,
       -- "At least 0" tells nothing.
       CASE WHEN all_flops > 0 OR NOT has_gaps THEN all_flops END AS flops,
       CASE WHEN flops IS NOT NULL THEN has_gaps END AS flops_at_least,
       100.0 * time_ns / nullif((SELECT sum(time_ns) FROM work_sums), 0) AS time_pct,
       work_ns AS work_time_ns,
       -- A copy beside kernels that are not counted says nothing of these.
       work_ns >= uncounted_ns AS mostly_counted,
       -- Nor do a few sets that have a bound say anything of a second of copies that have none.
       mostly_counted AND bounded_ns > 0 AND bounded_ns >= 0.1 * time_ns AS bound_tells,
       CASE WHEN mostly_counted THEN bytes END AS bytes_min,
       CASE WHEN mostly_counted AND work_ns > 0 THEN 1e9 * flops / work_ns END AS flops_per_s,
       -- Of work whose times are believed, where that is most of it.
       CASE WHEN mostly_counted AND believed_ns >= 0.5 * work_ns THEN 1e9 * believed_bytes / nullif(believed_ns, 0)
       END AS bytes_per_s,
       CASE WHEN mostly_counted AND bytes > 0 THEN flops / bytes END AS intensity,
       CASE WHEN bound_tells THEN 100.0 * bound_ns / bounded_ns END AS efficiency_pct,
       -- From 70 % of what a bound allows on, a limit counts as reached (docs/metrics.md).
       CASE WHEN bound_tells THEN
           CASE WHEN math_ns > 0.7 * bounded_ns AND memory_ns > 0.7 * bounded_ns THEN 'math and memory'
                WHEN math_ns > 0.7 * bounded_ns THEN 'math'
                WHEN memory_ns > 0.7 * bounded_ns THEN 'memory'
                ELSE 'below its bound'
           END
       END AS limiter,
       CASE WHEN work_ns IS NOT NULL THEN estimate END AS work_estimate,
       CASE WHEN NOT bound_tells OR bound_ns <= 0 THEN NULL
            WHEN math_ns > memory_ns THEN 'math'
            WHEN bound_ns > 0 THEN 'memory'
       END AS ridge_side,
       CASE WHEN bound_tells AND bound_ns > 0 THEN 1e9 * bounded_flops / bound_ns END AS attainable_flops_per_s,
       -- " (L2, 7.2 TB/s)"
       coalesce(' (' || cache_name || ', ' || format('{:.1f}', cache_rate / 1e12) || ' TB/s)', '') AS cache,
       -- Why something can be faster than its bound: what the numbers bear out, in this order.
       CASE WHEN bound_tells AND bound_ns > bounded_ns THEN 'faster than its bound: ' || CASE
           WHEN winograd THEN 'Winograd kernels multiply less than the formula'
           WHEN memory_ns > math_ns AND small AND coalesce(inner_ns, 0) <= bounded_ns
           THEN 'its data fits the last cache' || cache || ', and the bound is that of the memory'
           WHEN memory_ns > math_ns AND greatest(memory_ns - cached_ns, coalesce(inner_ns, 0)) <= bounded_ns
           THEN 'as much of its data as the last cache' || cache || ' holds need not have moved, which explains it'
           WHEN estimate THEN 'the bound is an estimate'
           WHEN math_ns > memory_ns AND math_ns < 1.2 * bounded_ns THEN 'clocks above those of the table'
           WHEN memory_ns > math_ns AND inner_ns > bounded_ns
           THEN 'faster than even the last cache' || cache || ' moves its data: a time or a size of the source may be '
                || 'wrong, or the kernels did less than the formula counts'
           ELSE 'nothing that is known explains it: a time or a size of the source may be wrong, or the kernels did '
                || 'less than the formula counts'
       END END AS explanation,
       CASE WHEN has_gaps AND work_ns > 0
            THEN format('counted of {:.1f}% of its time', 100.0 * work_ns / time_ns) END AS coverage,
       nullif(concat_ws('; ', coverage, explanation, nullif(note, '')), '') AS remarks
FROM work_sums
