-- What a choice of runs goes by.
SELECT run, name, recorded_ns, pushed_ns FROM {{runs}} ORDER BY recorded_ns, pushed_ns, run
