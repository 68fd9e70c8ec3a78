SELECT coalesce(max(number), -1) FROM all_iterations
