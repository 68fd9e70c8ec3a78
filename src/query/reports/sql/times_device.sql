-- When some device is at work, whenever that was launched; with $kernels when kernels run.
SELECT d.rank::BIGINT AS rank, s.begin_ns::BIGINT AS begin_ns, s.end_ns::BIGINT AS end_ns
FROM raw.busy_segments s
JOIN raw.devices d ON d.id = s.device
WHERE s.kernel_only = $kernels
