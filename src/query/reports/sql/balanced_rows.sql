-- The rows at which a product of 16-bit weights takes as long for arithmetic as for memory: FLOP/s over bytes/s, of the
-- device that needs the fewest, as one row does two FLOPs for each weight of two bytes.
SELECT min(p.flops_per_s / m.bandwidth) AS rows
FROM raw.device_peaks p
JOIN raw.device_models m ON m.device = p.device AND m.bandwidth > 0
WHERE p.matrix AND precision_name(p.precision) IN ('fp16', 'bf16') AND p.device >= 0
  AND p.device IN (SELECT t.device FROM sel_device d JOIN raw.tracks t ON t.id = d.track
                   WHERE d.kind = device_kind('kernel'))
