-- The ends of kernels in which their last wave of blocks does not fill the device, as if waves took equally long.
-- Kernels of less than one wave are another matter.
SELECT t.rank::BIGINT AS rank,
       (d.begin_ns + d.dur_ns - round(d.dur_ns * (ceil(c.waves) - c.waves) / ceil(c.waves)))::BIGINT AS begin_ns,
       (d.begin_ns + d.dur_ns)::BIGINT AS end_ns
FROM sel_device d
JOIN raw.tracks t ON t.id = d.track
JOIN raw.launch_configs c ON c.id = d.config
WHERE d.kind = device_kind('kernel') AND c.waves > 1 AND c.waves < ceil(c.waves)
