SELECT begin_ns, end_ns FROM raw.iterations WHERE rank = 0 ORDER BY number
