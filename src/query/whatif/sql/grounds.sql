-- What a replay of the range stands on: the time of its device work, and that of the work whose launch is known.
SELECT EXISTS (FROM raw.meta WHERE key = 'property.source.times') AS untimed,
       coalesce(sum(dur_ns), 0)::BIGINT AS work_ns,
       coalesce(sum(dur_ns) FILTER (launch >= 0), 0)::BIGINT AS launched_ns,
       count(*) AS work,
       count(*) FILTER (launch >= 0) AS launched,
       EXISTS (FROM raw.collective_calls WHERE members > 1) AS ranks_wait
FROM sel_device
WHERE is_busy(kind)
