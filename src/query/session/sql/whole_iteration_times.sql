-- The stretch of a whole run is longer than its iterations.
CREATE TEMP VIEW sel_iteration_times AS FROM all_iteration_times
