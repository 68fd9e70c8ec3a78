-- Needs scored_times. $computing, $copying and $loading: whether the recording tells of such time.
SELECT rank, host, nullif(iteration, -1)::BIGINT AS iteration, begin_ns, duration_ns,
       CASE WHEN $computing THEN computing_ns END AS computing_ns, communicating_ns, waiting_ns, transfer_ns,
       CASE WHEN $copying THEN copying_ns END AS copying_ns, CASE WHEN $loading THEN loading_ns END AS loading_ns,
       host_ns, idle_ns, own_ns, score, own_score, times_last, caused_ns
FROM scored_times
