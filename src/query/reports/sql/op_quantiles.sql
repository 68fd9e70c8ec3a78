-- Filled in C++ (op_quantiles.h).
CREATE OR REPLACE TEMP TABLE op_quantiles (
    op INTEGER, rank INTEGER, device INTEGER,
    cpu_p50 DOUBLE, cpu_p95 DOUBLE, gpu_p50 DOUBLE, gpu_p95 DOUBLE
)
