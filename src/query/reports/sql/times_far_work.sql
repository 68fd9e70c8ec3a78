-- Of each kernel of far_work the part beyond its bound.
SELECT t.rank::BIGINT AS rank, (d.begin_ns + floor(d.dur_ns * f.bound_ns / f.time_ns))::BIGINT AS begin_ns,
       (d.begin_ns + d.dur_ns)::BIGINT AS end_ns
FROM sel_device d
JOIN raw.tracks t ON t.id = d.track
JOIN far_work f ON f.rank = t.rank AND f.op = d.op AND f.kernel = d.name
WHERE d.kind = device_kind('kernel')
