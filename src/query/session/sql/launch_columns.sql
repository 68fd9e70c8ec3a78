SELECT a.begin_ns::BIGINT, a.end_ns::BIGINT, g.begin_ns::BIGINT, g.end_ns::BIGINT, g.rid::BIGINT, a.track::INTEGER,
       (CASE WHEN g.kind = device_kind('kernel') THEN g.name ELSE -1 END)::INTEGER
FROM st_gpu g
JOIN st_api a ON a.id = g.launch
WHERE NOT $kernels_only OR g.kind = device_kind('kernel')
