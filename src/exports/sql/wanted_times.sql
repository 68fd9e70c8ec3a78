SELECT track, begin_ns, end_ns FROM chosen_tracks WHERE begin_ns IS NOT NULL
