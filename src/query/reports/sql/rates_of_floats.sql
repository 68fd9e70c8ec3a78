-- The rates at which a device multiplies 64-bit and 32-bit floats, by its matrix units or without: of the devices that
-- ran kernels that with the least of the former beside the latter. TF32 is another format.
WITH rates AS (
    SELECT t.device, max(p.flops_per_s) FILTER (WHERE precision_name(p.precision) = 'fp64') AS fp64,
           max(p.flops_per_s) FILTER (WHERE precision_name(p.precision) = 'fp32') AS fp32
    FROM (SELECT DISTINCT track FROM sel_device WHERE kind = device_kind('kernel')) s
    JOIN raw.tracks t ON t.id = s.track
    JOIN raw.device_peaks p ON p.device = t.device
    GROUP BY t.device
)
SELECT fp64, fp32 FROM rates WHERE fp64 > 0 AND fp32 > 0 ORDER BY fp64 / fp32, fp32 LIMIT 1
