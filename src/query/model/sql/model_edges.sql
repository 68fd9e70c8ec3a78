SELECT from_node, to_node, shape FROM raw.model_edges
