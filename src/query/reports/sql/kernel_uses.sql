SELECT id::BIGINT AS id, tc_use_name(uses_tc) AS uses_tc FROM raw.kernel_names
