SELECT id, nullif(copy_kind_name(copy_kind), '') AS "copy kind", memory_kind_name(from_kind) AS "from", memory_kind_name(to_kind) AS "to"
FROM raw.transfers
