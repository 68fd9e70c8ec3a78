SELECT track::INTEGER AS track, begin_ns::BIGINT AS begin_ns, end_ns::BIGINT AS end_ns FROM st_busy
