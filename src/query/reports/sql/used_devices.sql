-- A row for each device with work anywhere in the profile, and one for each other that the source names, which
-- others may have used meanwhile. `described`: the device whose description holds for it.
CREATE TEMP TABLE used_devices AS
WITH sums AS (
    SELECT s.device, s.kernel_only,
           sum(greatest(0, least(s.end_ns, w.end_ns) - greatest(s.begin_ns, w.begin_ns))) AS in_ns
    FROM raw.busy_segments s
    JOIN raw.devices d ON d.id = s.device
    LEFT JOIN sel_wall w ON w.rank = d.rank
    GROUP BY ALL
), active AS (
    SELECT d.* FROM raw.devices d WHERE d.id IN (SELECT device FROM sums)
), alike AS (
    SELECT rank, min(id) AS id, min(name) AS name
    FROM raw.devices
    WHERE declared AND name <> ''
    GROUP BY rank
    HAVING count(DISTINCT name) = 1
), renumbered AS (
    -- Work may name its device by another number than the source's list does (ROCm's HIP_VISIBLE_DEVICES): which
    -- of the list it was is not told then, and of these ranks no device is called unused.
    SELECT DISTINCT rank FROM active WHERE NOT declared
), visible AS (
    SELECT d.id, d.rank, d.number, CASE WHEN d.name <> '' THEN d.name ELSE coalesce(a.name, '') END AS name,
           CASE WHEN d.declared OR d.name <> '' THEN d.id ELSE coalesce(a.id, d.id) END AS described,
           true AS worked
    FROM active d
    LEFT JOIN alike a ON a.rank = d.rank
    UNION ALL
    -- Several ranks of one machine name the same devices, so one that is not used counts once.
    SELECT min(d.id), min(d.rank), d.number, min(d.name), min(d.id), false
    FROM raw.devices d
    WHERE d.declared
      AND d.number NOT IN (SELECT number FROM active)
      AND d.rank NOT IN (SELECT rank FROM renumbered)
    GROUP BY d.number
), identities AS (
    -- Ranks of one machine may share a device: by its own identity, or its place in the machine. Numbers may count
    -- visible devices only, so they do not tell.
    SELECT d.id,
           CASE WHEN d.uuid <> '' THEN 'UUID ' || d.uuid
                WHEN d.bus_location <> '' THEN concat('place ', d.bus_location, ' in ', machine)
                ELSE concat('rank ', r.id, ', number ', d.number)
           END AS identity
    FROM raw.devices d
    JOIN (
        SELECT *, CASE WHEN host <> '' THEN 'host ' || host ELSE 'source ' || source END AS machine FROM raw.ranks
    ) r ON r.id = d.rank
), busy AS (
    SELECT device, coalesce(sum(in_ns) FILTER (WHERE NOT kernel_only), 0)::BIGINT AS busy_ns,
           coalesce(sum(in_ns) FILTER (WHERE kernel_only), 0)::BIGINT AS kernel_ns
    FROM sums
    GROUP BY device
)
SELECT v.*, i.identity, w.wall_ns, coalesce(b.busy_ns, 0) AS busy_ns, coalesce(b.kernel_ns, 0) AS kernel_ns
FROM visible v
LEFT JOIN identities i ON i.id = v.id
LEFT JOIN sel_wall_sums w ON w.rank = v.rank
LEFT JOIN busy b ON b.device = v.id;

-- Devices that worked, each once, whichever ranks it worked for: busy while any of them had work on it, in the time
-- that is any one's wall clock.
CREATE TEMP TABLE physical_devices AS
WITH members AS (
    SELECT *, count(*) OVER (PARTITION BY identity) AS sharing FROM used_devices WHERE worked
), walls AS (
    SELECT m.identity, w.begin_ns, w.end_ns, max(w.end_ns) OVER earlier AS covered_ns
    FROM members m
    JOIN sel_wall w ON w.rank = m.rank
    WHERE m.sharing > 1
    WINDOW earlier AS (PARTITION BY m.identity ORDER BY w.begin_ns, w.end_ns
                       ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
), wall_parts AS (
    SELECT identity, greatest(begin_ns, coalesce(covered_ns, begin_ns)) AS begin_ns, end_ns
    FROM walls
    WHERE covered_ns IS NULL OR covered_ns < end_ns
), work AS (
    SELECT m.identity, s.kernel_only, s.begin_ns, s.end_ns, max(s.end_ns) OVER earlier AS covered_ns
    FROM raw.busy_segments s
    JOIN members m ON m.id = s.device
    WHERE m.sharing > 1
    WINDOW earlier AS (PARTITION BY m.identity, s.kernel_only ORDER BY s.begin_ns, s.end_ns
                       ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
), shared_times AS (
    SELECT p.identity,
           sum(ns) FILTER (WHERE NOT kernel_only) AS busy_ns, sum(ns) FILTER (WHERE kernel_only) AS kernel_ns
    FROM (
        SELECT w.identity, w.kernel_only,
               least(w.end_ns, p.end_ns) - greatest(w.begin_ns, coalesce(w.covered_ns, w.begin_ns), p.begin_ns) AS ns
        FROM work w
        JOIN wall_parts p ON p.identity = w.identity
        WHERE w.covered_ns IS NULL OR w.covered_ns < w.end_ns
    ) p
    WHERE ns > 0
    GROUP BY p.identity
), shared_walls AS (
    SELECT identity, sum(end_ns - begin_ns)::BIGINT AS wall_ns FROM wall_parts GROUP BY identity
)
SELECT min(m.id) AS id, m.identity, min(m.number) AS number, min(nullif(m.name, '')) AS name,
       list_sort(list(DISTINCT r.number)) AS ranks,
       -- Where there is no wall clock at all, there is none of several either.
       CASE WHEN count(m.wall_ns) > 0 THEN coalesce(any_value(w.wall_ns), any_value(m.wall_ns)) END AS wall_ns,
       CASE WHEN any_value(m.sharing) > 1 THEN coalesce(any_value(t.busy_ns), 0) ELSE any_value(m.busy_ns)
       END::BIGINT AS busy_ns,
       CASE WHEN any_value(m.sharing) > 1 THEN coalesce(any_value(t.kernel_ns), 0) ELSE any_value(m.kernel_ns)
       END::BIGINT AS kernel_ns
FROM members m
LEFT JOIN raw.ranks r ON r.id = m.rank
LEFT JOIN shared_times t ON t.identity = m.identity
LEFT JOIN shared_walls w ON w.identity = m.identity
GROUP BY m.identity
