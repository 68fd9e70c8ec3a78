-- The ends of kernels of matrix products as long as the part of their tiles that is no part of the result, where that
-- is $pct % or more.
SELECT t.rank::BIGINT AS rank, (k.begin_ns + k.dur_ns - round(k.dur_ns * k.empty_part))::BIGINT AS begin_ns,
       (k.begin_ns + k.dur_ns)::BIGINT AS end_ns
FROM tile_tails k
JOIN raw.tracks t ON t.id = k.track
WHERE 100 * k.empty_part >= $pct
