-- Communication of one operation, group and size. A kernel that waited for others took longer than its data, so
-- rates are lower bounds; bus bytes are those of NCCL's tests (doc/PERFORMANCE.md). Needs matched_collectives and
-- exchange_kind.
WITH each AS (
    SELECT m.ns, m.exposed_ns, m.waiting_ns, m.matched, m.shortest_ns, m.last, m.first,
           {collective: coalesce(nullif(c.name, ''), k.label), exchange: exchange_kind(c.name, k.label),
            kernel_name: k.label, dtype: nullif(c.dtype, ''),
            "group": nullif(m.group_name, ''), comm_group: m.comm_group, bytes: m.bytes,
            ranks: m.ranks} AS kind
    FROM matched_collectives m
    JOIN raw.kernel_names k ON k.id = m.name
    LEFT JOIN raw.collectives c ON c.id = m.collective
), lasts AS (
    SELECT kind, last, count(*) AS times, sum(waiting_ns) AS waiting_ns
    FROM each
    WHERE matched AND NOT first
    GROUP BY ALL
), last_most AS (
    SELECT kind, arg_max(last, (waiting_ns, -last)) AS last, arg_max(times, (waiting_ns, -last)) AS times
    FROM lasts
    GROUP BY kind
), sums AS (
    SELECT kind, count(*) AS collectives, count(*) FILTER (WHERE matched) AS matched, sum(ns)::BIGINT AS ns,
           sum(exposed_ns)::BIGINT AS exposed_ns,
           (sum(waiting_ns) FILTER (WHERE matched))::BIGINT AS waiting_ns,
           sum(ns) FILTER (WHERE matched) AS matched_ns,
           (sum(waiting_ns) FILTER (WHERE matched AND first))::BIGINT AS first_waiting_ns,
           median(shortest_ns) AS transfer_ns
    FROM each
    GROUP BY kind
), rates AS (
    SELECT *, 1e9 * kind.bytes / nullif(transfer_ns, 0) AS bytes_per_s,
           1e9 * kind.bytes / nullif(transfer_ns, 0) * bus_factor(kind.collective, kind.ranks) AS bus_bytes_per_s
    FROM sums
)
SELECT s.kind.collective AS collective, s.kind.exchange AS exchange, s.kind.dtype AS dtype, s.kind."group" AS "group",
       group_kind_name(g.kind) AS group_kind, s.kind.ranks AS ranks,
       s.kind.bytes::BIGINT AS bytes, s.collectives, s.matched, s.ns AS total_gpu_time_ns, s.waiting_ns,
       100.0 * s.waiting_ns / nullif(s.matched_ns, 0) AS waiting_pct,
       s.first_waiting_ns, s.exposed_ns, 100.0 * s.exposed_ns / nullif(s.ns, 0) AS exposed_pct,
       r.number AS last_rank, l.times AS last_times,
       round(s.transfer_ns)::BIGINT AS transfer_ns, s.bytes_per_s, s.bus_bytes_per_s,
       nullif(g.link, '') AS link, nullif(g.link_bytes_per_s, 0) AS peak_bytes_per_s,
       100.0 * s.bus_bytes_per_s / nullif(g.link_bytes_per_s, 0) AS peak_pct,
       s.kind.kernel_name AS kernel_name
FROM rates s
JOIN raw.comm_groups g ON g.id = s.kind.comm_group
LEFT JOIN last_most l ON l.kind = s.kind
LEFT JOIN raw.ranks r ON r.id = l.last
