SELECT count(*) FILTER (WHERE warmup) AS warmup, count(*) AS iterations FROM sel_iterations
