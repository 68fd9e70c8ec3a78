-- Collectives of the profile by what is known of them, whatever the range.
SELECT count(*)::BIGINT AS calls,
       count(*) FILTER (WHERE state = match_state('ranks not recorded'))::BIGINT AS ranks_missing,
       count(*) FILTER (WHERE state = match_state('counts differ'))::BIGINT AS counts_differ,
       count(*) FILTER (WHERE state = match_state('calls differ'))::BIGINT AS calls_differ,
       count(*) FILTER (WHERE state = match_state('peers not told'))::BIGINT AS apart,
       (SELECT count(*) FROM raw.kernel_names WHERE class = kernel_class('communication'))::BIGINT AS kernels
FROM raw.collective_calls
