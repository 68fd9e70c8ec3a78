CREATE OR REPLACE TEMP TABLE fact_rank_collectives AS
SELECT rank, process_group, group_kind, collective, sum(calls)::BIGINT AS calls, sum(matched)::BIGINT AS matched,
       CASE WHEN count(*) = count(bytes) THEN sum(bytes)::BIGINT END AS bytes, sum(total_ns)::BIGINT AS total_ns,
       sum(waiting_ns)::BIGINT AS waiting_ns, sum(transfer_ns)::BIGINT AS transfer_ns, sum(exposed_ns)::BIGINT AS
       exposed_ns
FROM fact_iteration_collectives
GROUP BY ALL
ORDER BY rank
