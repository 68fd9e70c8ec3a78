CREATE TEMP TABLE whole_iterations (rank INTEGER, iteration INTEGER)
