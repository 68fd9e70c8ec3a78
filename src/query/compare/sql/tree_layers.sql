SELECT id, parent, name, path FROM raw.layers ORDER BY id
