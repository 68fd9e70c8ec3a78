-- What the processor does in a second: of FP32, and of BF16 (0: nothing is known).
SELECT coalesce(max(flops_per_s) FILTER (WHERE precision_name(precision) = 'fp32'), 0) AS fp32,
       coalesce(max(flops_per_s) FILTER (WHERE precision_name(precision) = 'bf16'), 0) AS bf16
FROM raw.device_peaks
WHERE device = -1
