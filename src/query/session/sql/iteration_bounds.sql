SELECT rank, number, begin_ns, end_ns FROM raw.iterations ORDER BY ALL
