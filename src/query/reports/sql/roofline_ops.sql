SELECT gr.number AS rank, nullif(gr.host, '') AS host, gd.number AS device,
       x.op AS op_id,
       i.name AS op_name,
       direction_name(i.direction) AS direction,
       l.path AS layer,
       shown_shapes(i.shapes, $for_people) AS shapes,
       precision_name(x.precision) AS precision,
       x.* EXCLUDE (op, kernel, type, name, direction, layer, shapes, precision, rank, device)
FROM work_rows x
JOIN raw.op_identities i ON i.id = x.op
LEFT JOIN raw.layers l ON l.id = i.layer
LEFT JOIN raw.ranks gr ON gr.id = x.rank
LEFT JOIN raw.devices gd ON gd.id = x.device
