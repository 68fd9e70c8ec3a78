CREATE OR REPLACE TEMP TABLE path_pieces (
    kind VARCHAR, name VARCHAR, pieces BIGINT, time_ns BIGINT, time_per_iteration_ns BIGINT, share_pct DOUBLE
)
