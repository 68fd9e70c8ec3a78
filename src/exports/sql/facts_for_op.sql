SELECT o.id, o.name AS op, nullif(l.path, '') AS layer, direction_name(o.direction) AS direction
FROM raw.op_identities o
LEFT JOIN raw.layers l ON l.id = o.layer
