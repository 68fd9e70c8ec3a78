-- What the recording tells, in whatever range: what rules of advice need.
SELECT EXISTS (FROM raw.signatures WHERE regexp_matches(shapes, '\d')) AS shapes,
       EXISTS (FROM raw.signatures WHERE regexp_matches(dtypes, '[a-z]')) AS dtypes,
       EXISTS (FROM raw.signatures WHERE regexp_matches(concrete, '\d')) AS input_values,
       EXISTS (FROM raw.op_identities WHERE starts_with(name, 'aten::')) AS torch_ops,
       EXISTS (FROM raw.launch_configs c WHERE grid_x > 0 AND EXISTS (FROM raw.devices WHERE sm_count > 0)) AS grids,
       EXISTS (FROM raw.launch_configs WHERE occupancy_pct > 0 AND waves > 0) AS occupancy,
       EXISTS (FROM raw.launch_configs WHERE waves > 0) AS waves,
       EXISTS (FROM raw.work_stats s JOIN raw.works w ON w.id = s.work AND w.bound_ns > 0 AND NOT w.estimate
               WHERE s.kernel >= 0) AS bounds_of_work,
       EXISTS (FROM raw.kernel_names WHERE class = kernel_class('communication')) AS collectives,
       EXISTS (FROM raw.transfers WHERE from_kind >= 0 OR to_kind >= 0) AS kinds_of_memory,
       EXISTS (FROM raw.device_spans WHERE is_transfer(kind) AND bytes > 0) AS sizes_of_copies,
       EXISTS (FROM raw.strings WHERE starts_with(text, 'Optimizer.step#')) AS optimizer_steps,
       EXISTS (FROM raw.strings WHERE starts_with(text, 'Optimizer.zero_grad#')) AS zero_grads,
       EXISTS (FROM raw.strings WHERE regexp_matches(text, '\(dynamo_timed\)|^_compile\.|^compile_fx|^jit_compile'))
           AS compiler_ranges,
       EXISTS (FROM raw.op_identities WHERE starts_with(name, 'Torch-Compiled Region')) AS compiled_regions,
       EXISTS (FROM raw.op_identities WHERE starts_with(name, 'aten::_foreach_')) AS foreach_ops,
       EXISTS (FROM raw.op_identities WHERE regexp_matches(name, '^aten::_fused_(sgd|adam|adagrad)'))
           AS fused_optimizers,
       EXISTS (FROM raw.op_identities WHERE regexp_matches(name, '(^|_)fusion(\.\d+)?$')) AS fusions,
       (SELECT count(*) FROM sel_iterations) AS iterations,
       (SELECT CASE WHEN count(DISTINCT name) = 1 THEN any_value(name) END
        FROM (SELECT regexp_extract(text, '^Optimizer\.step#(\w+)\.step', 1) AS name FROM raw.strings)
        WHERE name <> '') AS optimizer
