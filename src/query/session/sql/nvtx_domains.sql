SELECT EXISTS (FROM raw.nvtx_ranges) AS any_range,
       (SELECT count(DISTINCT domain_name) FROM raw.nvtx_attributes) AS domains
