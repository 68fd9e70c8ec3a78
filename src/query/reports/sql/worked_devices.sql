-- What the devices that ran kernels are. Work may name its device by a number that the source's list does not have:
-- the name is then that of the model it was found to be.
SELECT DISTINCT coalesce(nullif(d.name, ''), m.model, '') AS name, d.compute_major, d.compute_minor, d.warp_size,
       m.device IS NOT NULL AS described,
       EXISTS (FROM raw.device_peaks p WHERE p.device = d.id AND p.matrix) AS matrix_units,
       EXISTS (FROM raw.device_peaks p WHERE p.device = d.id AND p.matrix AND precision_name(p.precision) = 'tf32')
           AS tf32,
       EXISTS (FROM raw.device_peaks p WHERE p.device = d.id AND p.matrix AND precision_name(p.precision) = 'bf16')
           AS bf16
FROM (SELECT DISTINCT track FROM sel_device WHERE kind = device_kind('kernel')) s
JOIN raw.tracks t ON t.id = s.track
JOIN raw.devices d ON d.id = t.device
LEFT JOIN raw.device_models m ON m.device = d.id AND m.source <> model_source('not known')
