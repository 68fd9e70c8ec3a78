-- Whether ops have counters of the processor, which others could not be had, and how much of the time each group of
-- them counted where they took turns.
WITH turns AS (
    SELECT unnest(['cycles and instructions', 'L1', 'last cache', 'branches']) AS name,
           unnest([sum(core_running_ns) FILTER (WHERE core_running_ns >= 0) * 100.0
                       / nullif(sum(core_enabled_ns) FILTER (WHERE core_running_ns >= 0), 0),
                   sum(l1_running_ns) FILTER (WHERE l1_running_ns >= 0) * 100.0
                       / nullif(sum(l1_enabled_ns) FILTER (WHERE l1_running_ns >= 0), 0),
                   sum(llc_running_ns) FILTER (WHERE llc_running_ns >= 0) * 100.0
                       / nullif(sum(llc_enabled_ns) FILTER (WHERE llc_running_ns >= 0), 0),
                   sum(branch_running_ns) FILTER (WHERE branch_running_ns >= 0) * 100.0
                       / nullif(sum(branch_enabled_ns) FILTER (WHERE branch_running_ns >= 0), 0)]) AS pct
    FROM raw.op_counters
)
SELECT EXISTS (FROM raw.op_counters) AS counted,
       (SELECT any_value(value) FROM raw.meta WHERE key = 'property.counters') AS joined,
       (SELECT any_value(value) || ' threads' FROM raw.meta WHERE key = 'property.torch_threads' AND value <> '1')
           AS threads,
       (SELECT any_value(value) FROM raw.meta WHERE key = 'property.cpu_counters_missing') AS missing,
       (SELECT string_agg(name || ' ' || round(pct, 1) || ' %', ', ') FROM turns WHERE pct < 99.5) AS turns,
       EXISTS (FROM sel_device WHERE kind = device_kind('other')) AS moments
