-- Jobs by the kernel time that could be on Tensor Cores and is not.
SELECT run, name, device_name, devices, device_wall_ns, kernel_ns, tc_kernel_ns, unknown_kernel_ns, eligible_plain_ns,
       100 * {{ratio(eligible_plain_ns, kernel_ns)}} AS of_kernels_pct,
       100 * {{ratio(least(eligible_plain_ns, device_wall_ns), device_wall_ns)}} AS of_device_pct
FROM {{runs}}
WHERE {{chosen}} AND kernel_ns > 0 AND eligible_plain_ns IS NOT NULL
ORDER BY eligible_plain_ns DESC, run
{{limit}}
