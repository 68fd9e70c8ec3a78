SELECT o.id, o.name, nullif(l.path, '') AS layer, direction_name(o.direction) AS direction
FROM raw.op_identities o
LEFT JOIN raw.layers l ON l.id = o.layer
