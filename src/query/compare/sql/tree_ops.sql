-- In the order in which they were first seen.
SELECT id, name, direction_name(direction) AS direction, layer, shapes, dtypes FROM raw.op_identities ORDER BY id
