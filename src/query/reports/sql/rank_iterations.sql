-- Needs scored_times.
SELECT rank, host, nullif(iteration, -1)::BIGINT AS iteration, begin_ns, duration_ns, computing_ns, communicating_ns,
       waiting_ns, transfer_ns, copying_ns, loading_ns, host_ns, idle_ns, own_ns, score, own_score, times_last,
       caused_ns
FROM scored_times
