-- What of the critical path is of an op (-1: of none) and a kernel; `name`: of calls outside of ops. `outside`: of all
-- ops.
CREATE OR REPLACE TEMP TABLE path_of_work (
    rank BIGINT, op BIGINT, kernel BIGINT, name VARCHAR, outside BIGINT, ns BIGINT
)
