-- Process groups whose data moved slowest beside others of the same job and collective: the rate of each is what its
-- ranks gave and took in the time from the last arrival on, `lost_ns` what that took more than at the middle rate.
SELECT run, process_group, collective, ranks_count, group_bytes, group_transfer_ns, bytes_per_s,
       middle_bytes_per_s, {{ratio(bytes_per_s, middle_bytes_per_s)}} AS of_middle,
       group_transfer_ns - 1000000000 * {{ratio(group_bytes, middle_bytes_per_s)}} AS lost_ns
FROM (
    SELECT run, process_group, collective, count(DISTINCT rank) AS ranks_count, sum(bytes) AS group_bytes,
           sum(transfer_ns) AS group_transfer_ns,
           1000000000 * {{ratio(sum(bytes), sum(transfer_ns))}} AS bytes_per_s
    FROM {{rank_collectives}}
    WHERE {{chosen}} AND bytes > 0 AND transfer_ns > 0 AND matched = calls
    GROUP BY run, process_group, collective
) AS each_group
{{join}} (
    SELECT run, collective, {{median(rate)}} AS middle_bytes_per_s, count(*) AS groups_count
    FROM (
        SELECT run, process_group, collective, 1000000000 * {{ratio(sum(bytes), sum(transfer_ns))}} AS rate
        FROM {{rank_collectives}}
        WHERE {{chosen}} AND bytes > 0 AND transfer_ns > 0 AND matched = calls
        GROUP BY run, process_group, collective
    ) AS rates
    GROUP BY run, collective
) AS middles USING (run, collective)
WHERE groups_count > 1 AND bytes_per_s < middle_bytes_per_s
ORDER BY lost_ns DESC, run, process_group, collective
{{limit}}
