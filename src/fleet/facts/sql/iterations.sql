-- As the report rank_iterations has them; its -1 for a whole recording stays. Needs scored_times.
SELECT rank, iteration::BIGINT AS iteration, duration_ns, computing_ns, communicating_ns, waiting_ns, transfer_ns,
       copying_ns, loading_ns, host_ns, idle_ns, own_ns, score, own_score, times_last, caused_ns
FROM scored_times
