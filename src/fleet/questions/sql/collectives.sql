-- What each kind of collective costs over all jobs.
SELECT collective, group_kind, count(DISTINCT run) AS runs_count, sum(calls) AS total_calls,
       sum(matched) AS total_matched, sum(total_ns) AS total_time_ns, sum(waiting_ns) AS total_waiting_ns,
       100 * {{ratio(sum(waiting_ns), sum(waiting_ns) + sum(transfer_ns))}} AS total_waiting_pct, sum(exposed_ns) AS total_exposed_ns
FROM {{collectives}}
WHERE {{chosen}}
GROUP BY collective, group_kind
ORDER BY total_time_ns DESC, collective, group_kind
{{limit}}
