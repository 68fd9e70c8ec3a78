SELECT count(*) AS calls, sum(a.dur_ns)::BIGINT AS ns, (SELECT sum(wall_ns)::BIGINT FROM sel_wall_sums) AS wall_ns
FROM sel_api a
JOIN raw.strings x ON x.id = a.name
WHERE is_wait_call(x.text)
