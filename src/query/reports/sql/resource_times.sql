-- What the wall clock of the range went to.
CREATE TEMP VIEW resource_times AS
SELECT s.resource, sum(greatest(0, least(s.end_ns, w.end_ns) - greatest(s.begin_ns, w.begin_ns))) AS ns
FROM raw.resource_segments s
JOIN sel_wall w ON w.rank = s.rank
GROUP BY s.resource
