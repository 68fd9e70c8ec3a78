SELECT EXISTS (FROM raw.kernel_names WHERE uses_tc = tc_use('yes'))
