-- Of the time in which nothing of the recording runs, or only the host, or only calls and ops: what lies in pauses
-- before work that was launched already. Needs queued_pauses.
WITH times AS (
    SELECT resource, sum(end_ns - begin_ns) AS ns FROM wall_segments GROUP BY resource
    UNION ALL
    SELECT resource, -sum(end_ns - begin_ns) FROM unqueued_segments GROUP BY resource
)
SELECT coalesce(sum(ns) FILTER (WHERE resource = resource('idle')), 0)::BIGINT AS idle_ns,
       coalesce(sum(ns) FILTER (WHERE resource = resource('host')), 0)::BIGINT AS host_ns,
       coalesce(sum(ns) FILTER (WHERE resource = resource('cpu')), 0)::BIGINT AS cpu_ns
FROM times
