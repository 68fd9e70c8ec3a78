SELECT g.id, g.parent, g.name, g.path, l.path AS layer
FROM raw.model_groups g
LEFT JOIN raw.layers l ON l.id = g.layer
ORDER BY g.id
