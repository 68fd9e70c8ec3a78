SELECT id, name, tc_use_name(uses_tc) AS "uses Tensor Cores", nullif(label, name) AS "short name" FROM raw.kernel_names
