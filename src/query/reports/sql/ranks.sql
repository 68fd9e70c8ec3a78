-- Needs scored_times. $computing, $copying and $loading: whether the recording tells of such time.
WITH sums AS MATERIALIZED (
    SELECT rank, any_value(host) AS host, count(*) FILTER (WHERE iteration >= 0) AS iterations,
           sum(duration_ns)::BIGINT AS wall_ns, (sum(computing_ns) FILTER (WHERE $computing))::BIGINT AS computing_ns,
           sum(communicating_ns)::BIGINT AS communicating_ns, sum(waiting_ns)::BIGINT AS waiting_ns,
           sum(transfer_ns)::BIGINT AS transfer_ns, (sum(copying_ns) FILTER (WHERE $copying))::BIGINT AS copying_ns,
           (sum(loading_ns) FILTER (WHERE $loading))::BIGINT AS loading_ns, sum(host_ns)::BIGINT AS host_ns,
           sum(idle_ns)::BIGINT AS idle_ns,
           round(median(own_ns))::BIGINT AS own_ns, sum(times_last)::BIGINT AS times_last,
           sum(caused_ns)::BIGINT AS caused_ns
    FROM scored_times
    GROUP BY rank
)
SELECT s.*, s.own_ns / nullif((SELECT median(own_ns) FROM sums), 0) AS score,
       CASE WHEN c.corrected THEN c.offset_ns ELSE 0 END AS offset_ns, nullif(c.error_ns, -1) AS clock_error_ns
FROM sums s
JOIN raw.ranks r ON r.number = s.rank
LEFT JOIN raw.rank_clocks c ON c.rank = r.id
