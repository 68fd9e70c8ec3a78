-- Communication of each device within the wall clock, beside computing (overlapped) and alone.
CREATE TEMP VIEW communication_times AS
SELECT s.device, s.overlapped,
       sum(greatest(0, least(s.end_ns, w.end_ns) - greatest(s.begin_ns, w.begin_ns)))::BIGINT AS ns
FROM raw.comm_segments s
JOIN raw.devices d ON d.id = s.device
JOIN sel_wall w ON w.rank = d.rank
GROUP BY s.device, s.overlapped
