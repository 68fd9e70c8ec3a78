SELECT rank::INTEGER, begin_ns::BIGINT, end_ns::BIGINT, resource::TINYINT FROM raw.resource_segments
