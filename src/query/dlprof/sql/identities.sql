SELECT i.id, i.name, i.type, l.path AS layer, i.dtypes, i.shapes, i.direction = direction('bprop') AS backward,
       i.tc_eligible
FROM raw.op_identities i
LEFT JOIN raw.layers l ON l.id = i.layer
