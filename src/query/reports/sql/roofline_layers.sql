SELECT gr.number AS rank, nullif(gr.host, '') AS host, gd.number AS device,
       coalesce(l.path, '(no layer)') AS layer,
       direction_name(x.direction) AS direction,
       x.* EXCLUDE (op, kernel, type, name, direction, layer, shapes, precision, rank, device)
FROM work_rows x
LEFT JOIN raw.layers l ON l.id = x.layer
LEFT JOIN raw.ranks gr ON gr.id = x.rank
LEFT JOIN raw.devices gd ON gd.id = x.device
