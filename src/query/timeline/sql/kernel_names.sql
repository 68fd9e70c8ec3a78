SELECT id, label, name, class, uses_tc FROM raw.kernel_names
