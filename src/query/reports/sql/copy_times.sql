-- Sums of the durations of copies, and the kind of copy that takes most of it.
WITH copies AS (
    SELECT d.dur_ns, nullif(d.bytes, -1) AS bytes, coalesce(x.copy_kind, copy_kind('Unknown')) AS kind,
           (x.copy_kind = copy_kind('HtoD') AND x.from_kind = memory_kind('Pageable'))
               OR (x.copy_kind = copy_kind('DtoH') AND x.to_kind = memory_kind('Pageable')) AS pageable
    FROM sel_device d
    LEFT JOIN raw.transfers x ON x.id = d.transfer
    WHERE d.kind = device_kind('copy')
), sums AS (
    SELECT sum(dur_ns)::BIGINT AS ns, (sum(dur_ns) FILTER (WHERE pageable))::BIGINT AS pageable_ns FROM copies
), kinds AS (
    SELECT kind, count(*) AS calls, sum(dur_ns)::BIGINT AS ns, sum(bytes)::BIGINT AS bytes
    FROM copies
    GROUP BY kind
    ORDER BY ns DESC, kind
    LIMIT 1
)
SELECT s.ns, s.pageable_ns, copy_kind_name(k.kind) AS kind, k.calls, k.bytes, k.ns AS kind_ns
FROM sums s
LEFT JOIN kinds k ON true
