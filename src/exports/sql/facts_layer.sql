SELECT id, path AS layer FROM raw.layers
