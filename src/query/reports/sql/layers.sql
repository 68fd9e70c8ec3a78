SELECT id, parent, name, path, depth FROM raw.layers ORDER BY id
