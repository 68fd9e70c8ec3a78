SELECT name, format, precision, device, batch, nodes, matched, notes FROM raw.models
