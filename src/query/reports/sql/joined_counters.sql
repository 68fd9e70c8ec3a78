-- Whether counters were joined with kernels, and with how many.
SELECT any_value(value) AS summary FROM raw.meta WHERE key = 'property.counters'
