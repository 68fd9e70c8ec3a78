-- In the order of query/dlprof's rows of devices.
SELECT d.bytes::BIGINT AS bytes, coalesce(x.copy_kind, -1)::TINYINT AS copy_kind
FROM raw.device_spans d
LEFT JOIN raw.transfers x ON x.id = d.transfer
WHERE is_work(d.kind) AND d.kind <> device_kind('kernel')
ORDER BY d.begin_ns, d.rowid
