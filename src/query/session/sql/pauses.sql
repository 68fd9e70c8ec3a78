SELECT rank, begin_ns, end_ns FROM raw.recording_pauses ORDER BY ALL
