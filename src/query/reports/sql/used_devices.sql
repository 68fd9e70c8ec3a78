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
), busy AS (
    SELECT device, coalesce(sum(in_ns) FILTER (WHERE NOT kernel_only), 0)::BIGINT AS busy_ns,
           coalesce(sum(in_ns) FILTER (WHERE kernel_only), 0)::BIGINT AS kernel_ns
    FROM sums
    GROUP BY device
)
SELECT v.*, w.wall_ns, coalesce(b.busy_ns, 0) AS busy_ns, coalesce(b.kernel_ns, 0) AS kernel_ns
FROM visible v
LEFT JOIN sel_wall_sums w ON w.rank = v.rank
LEFT JOIN busy b ON b.device = v.id
