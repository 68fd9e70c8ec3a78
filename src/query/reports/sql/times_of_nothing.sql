-- When nothing that was recorded runs. Needs resource_time.
SELECT rank::BIGINT AS rank, begin_ns::BIGINT AS begin_ns, end_ns::BIGINT AS end_ns
FROM resource_time('idle')
