-- Work outside of ops. Device work counts for the identity that the analysis gave it (an annotation, or a pseudo-op
-- named after the API call, or for graphs the ops of their capture, of which the first has the time of the call),
-- calls without device work for a pseudo-op alike. A graph recorded as a whole counts as work whose kernels, and
-- whether they use Tensor Cores, are not known. GPU time is a union of the device spans of each call. Columns as in
-- sel_stats, with the name and the median and 95th percentile of the calls.
CREATE OR REPLACE TEMP TABLE outside_work AS
WITH spans AS (
    SELECT d.launch, d.op, d.track, d.begin_ns, d.begin_ns + d.dur_ns AS end_ns, d.dur_ns, d.kind,
           has_flag(d.flags, 'first_of_launch') AS first, k.uses_tc,
           -- Whose op the source names without a launch: each time that it ran counts as a call.
           CASE WHEN d.launch = -1 AND i.type <> 'unattributed' THEN d.place END AS alone
    FROM sel_device d
    LEFT JOIN raw.op_identities i ON i.id = d.op
    LEFT JOIN raw.kernel_names k ON d.kind = device_kind('kernel') AND k.id = d.name
    WHERE d.op_span = -1 AND is_busy(d.kind)
), in_order AS (
    -- `before`: until when spans of the same call that began before this one last.
    SELECT *, coalesce(max(end_ns) OVER (
                  PARTITION BY launch, CASE WHEN launch = -1 THEN track END, alone
                  ORDER BY begin_ns, end_ns
                  ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), begin_ns) AS before
    FROM spans
), launched AS (
    SELECT launch, op, CASE WHEN launch = -1 THEN track END AS lane, alone, any_value(track) AS track,
           bool_or(first) AS first,
           min(begin_ns) AS begin_ns, max(end_ns) AS end_ns,
           sum(greatest(0, end_ns - greatest(begin_ns, before)))::BIGINT AS gpu_ns,
           coalesce(sum(dur_ns) FILTER (WHERE kind = device_kind('kernel')), 0)::BIGINT AS kernel_ns,
           coalesce(sum(dur_ns) FILTER (WHERE uses_tc = tc_use('yes')), 0)::BIGINT AS tc_kernel_ns,
           count(*) FILTER (WHERE kind = device_kind('kernel')) AS kernels,
           count(*) FILTER (WHERE uses_tc = tc_use('yes')) AS tc_kernels,
           count(*) FILTER (WHERE uses_tc = tc_use('unknown') OR kind = device_kind('graph')) AS unknown_tc_kernels,
           count(*) FILTER (WHERE kind = device_kind('graph')) AS graphs,
           count(*) FILTER (WHERE kind = device_kind('copy')) AS memcpys,
           count(*) FILTER (WHERE kind = device_kind('set')) AS memsets
    FROM in_order
    GROUP BY ALL
), calls AS (
    SELECT id, track, dur_ns, name FROM sel_api WHERE op_span = -1
    UNION ALL
    -- Those of which only the work lies in the range.
    SELECT a.id, a.track, a.dur_ns, a.name
    FROM raw.api_calls a
    SEMI JOIN launched l ON l.launch = a.id
    ANTI JOIN (SELECT id FROM sel_api WHERE op_span = -1) c ON c.id = a.id
), pieces AS (
    SELECT coalesce(i.name, 'unassociated_' || c.api) AS name, l.op,
           -- Pseudo-ops of one name are one row, wherever they were launched.
           CASE WHEN i.type NOT IN ('unassociated', 'unattributed') OR i.layer <> -1 THEN l.op END AS own_row,
           rank_group(coalesce(ct.rank, lt.rank), $ranks_by) AS rank,
           CASE WHEN $by_device THEN coalesce(lt.device, -1) ELSE -1 END AS device,
           CASE WHEN l.first IS NOT false THEN coalesce(c.dur_ns, 0) ELSE 0 END AS dur_ns,
           -- Of work without a known launch there are the streams that it ran on, and no calls.
           c.id IS NOT NULL OR l.alone IS NOT NULL AS is_call,
           coalesce(l.gpu_ns, 0) AS gpu_ns,
           coalesce(l.end_ns - l.begin_ns - l.gpu_ns, 0) AS gpu_idle_ns,
           l.kernel_ns, l.tc_kernel_ns, l.kernels, l.tc_kernels, l.unknown_tc_kernels, l.graphs,
           l.memcpys, l.memsets
    FROM (SELECT c.*, x.text AS api FROM calls c JOIN raw.strings x ON x.id = c.name) c
    FULL JOIN launched l ON l.launch = c.id
    LEFT JOIN raw.op_identities i ON i.id = l.op
    LEFT JOIN raw.tracks ct ON ct.id = c.track
    LEFT JOIN raw.tracks lt ON lt.id = l.track
)
SELECT name, rank, device, coalesce(max(op), -1) AS op,
       nullif(count(*) FILTER (WHERE is_call), 0) AS calls,
       (sum(dur_ns) FILTER (WHERE is_call))::BIGINT AS cpu_ns,
       min(dur_ns) FILTER (WHERE is_call) AS cpu_min_ns, max(dur_ns) FILTER (WHERE is_call) AS cpu_max_ns,
       cpu_ns AS self_cpu_ns,
       cpu_ns AS api_ns,
       CASE WHEN bool_or(is_call) THEN 0 END AS overhead_min_ns,
       CASE WHEN bool_or(is_call) THEN 0 END AS overhead_max_ns,
       sum(gpu_ns)::BIGINT AS gpu_ns,
       min(gpu_ns) FILTER (WHERE is_call) AS gpu_min_ns, max(gpu_ns) FILTER (WHERE is_call) AS gpu_max_ns,
       sum(gpu_ns)::BIGINT AS self_gpu_ns,
       (sum(gpu_idle_ns) FILTER (WHERE is_call))::BIGINT AS gpu_idle_ns,
       min(gpu_idle_ns) FILTER (WHERE is_call) AS gpu_idle_min_ns,
       max(gpu_idle_ns) FILTER (WHERE is_call) AS gpu_idle_max_ns,
       coalesce(sum(kernel_ns), 0)::BIGINT AS kernel_ns,
       coalesce(sum(tc_kernel_ns), 0)::BIGINT AS tc_kernel_ns,
       coalesce(sum(kernels), 0)::BIGINT AS kernels,
       coalesce(sum(tc_kernels), 0)::BIGINT AS tc_kernels,
       coalesce(sum(unknown_tc_kernels), 0)::BIGINT AS unknown_tc_kernels,
       coalesce(sum(graphs), 0)::BIGINT AS graphs,
       coalesce(sum(memcpys), 0)::BIGINT AS memcpys,
       coalesce(sum(memsets), 0)::BIGINT AS memsets,
       quantile_cont(dur_ns, [0.5, 0.95]) FILTER (WHERE is_call) AS cpu_q,
       quantile_cont(gpu_ns, [0.5, 0.95]) FILTER (WHERE is_call) AS gpu_q
FROM pieces
GROUP BY name, own_row, rank, device
