-- What the time of each iteration of a rank went to: filled by rank_times.cpp.
CREATE OR REPLACE TEMP TABLE rank_shares (
    rank BIGINT, iteration BIGINT, begin_ns BIGINT, duration_ns BIGINT, computing_ns BIGINT, communicating_ns BIGINT,
    copying_ns BIGINT, loading_ns BIGINT, host_ns BIGINT, idle_ns BIGINT
)
