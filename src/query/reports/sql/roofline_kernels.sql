SELECT gr.number AS rank, nullif(gr.host, '') AS host, gd.number AS device,
       k.label AS kernel_name,
       tc_use_name(k.uses_tc) AS uses_tc,
       k.name AS long_kernel_name,
       x.* EXCLUDE (op, kernel, type, name, direction, layer, shapes, precision, rank, device)
FROM work_rows x
JOIN raw.kernel_names k ON k.id = x.kernel
LEFT JOIN raw.ranks gr ON gr.id = x.rank
LEFT JOIN raw.devices gd ON gd.id = x.device
