-- Ops of one name and shapes together, in whatever layers.
SELECT gr.number AS rank, nullif(gr.host, '') AS host, gd.number AS device,
       x.name AS op_name,
       direction_name(x.direction) AS direction,
       shown_shapes(x.shapes, $for_people) AS shapes,
       precision_name(x.precision) AS precision,
       x.* EXCLUDE (op, kernel, type, name, direction, layer, shapes, precision, rank, device)
FROM work_rows x
LEFT JOIN raw.ranks gr ON gr.id = x.rank
LEFT JOIN raw.devices gd ON gd.id = x.device
