SELECT track, begin_ns, parent_op FROM raw.ops WHERE id = $id
