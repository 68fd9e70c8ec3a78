-- Every event of memory with what is held after it, and until when that is so. A pause of the recording ends what is
-- known: changes are added up anew from the first one after it (from_ns), and what frees memory of before
-- changes nothing.
CREATE TEMP VIEW memory_held AS
WITH events AS (
    SELECT t.rank, m.device_type, m.device, m.time_ns, m.address, m.bytes, m.total_allocated, m.total_reserved, m.stack,
           m.rowid AS number
    FROM raw.memory_events m
    JOIN raw.tracks t ON t.id = m.track
), parts AS (
    SELECT e.*, b.end_ns AS from_ns, n.begin_ns AS pause_ns
    FROM events e
    ASOF LEFT JOIN raw.recording_pauses b ON b.rank = e.rank AND e.time_ns >= b.end_ns
    ASOF LEFT JOIN raw.recording_pauses n ON n.rank = e.rank AND e.time_ns <= n.begin_ns
), counted AS (
    SELECT *, bytes AS change FROM parts WHERE from_ns IS NULL
    UNION ALL
    SELECT *,
           CASE WHEN bytes >= 0 OR address = 0
                     OR lag(bytes) OVER (PARTITION BY rank, device_type, device, from_ns, address
                                         ORDER BY time_ns, number) > 0
                THEN bytes ELSE 0 END AS change
    FROM parts
    WHERE from_ns IS NOT NULL
), known AS (
    SELECT rank, device_type, device, max(total_allocated) >= 0 AS told
    FROM events
    GROUP BY ALL
)
SELECT e.rank, e.device_type, e.device, e.time_ns, k.told,
       CASE WHEN k.told THEN nullif(e.total_allocated, -1) ELSE sum(e.change) OVER in_part END::BIGINT AS allocated,
       nullif(e.total_reserved, -1) AS reserved,
       least(lead(e.time_ns) OVER in_order, e.pause_ns) AS until,
       e.number AS event, e.address, e.bytes, e.stack, row_number() OVER in_order AS nth, e.from_ns
FROM counted e
JOIN known k ON k.rank = e.rank AND k.device_type = e.device_type AND k.device = e.device
WINDOW in_order AS (PARTITION BY e.rank, e.device_type, e.device ORDER BY e.time_ns, e.number),
       in_part AS (PARTITION BY e.rank, e.device_type, e.device, e.from_ns ORDER BY e.time_ns, e.number);

-- The most of each place within the range, and the event at which most is allocated; what holds at its begin counts. A
-- row for each place: several questions ask for it, and all events are gone through for it.
CREATE TEMP TABLE memory_peaks AS
WITH held AS (
    SELECT a.*, greatest(a.time_ns, w.begin_ns) AS at_ns, a.time_ns >= w.begin_ns AS inside
    FROM memory_held a
    JOIN sel_wall w ON w.rank = a.rank AND a.time_ns < w.end_ns AND (a.until IS NULL OR a.until > w.begin_ns)
)
SELECT rank, device_type, device,
       count(*) FILTER (WHERE inside) AS events,
       max(allocated)::BIGINT AS allocated,
       first(at_ns ORDER BY allocated DESC, nth) FILTER (WHERE allocated IS NOT NULL) AS at_ns,
       max(reserved)::BIGINT AS reserved,
       first(time_ns ORDER BY allocated DESC, nth) FILTER (WHERE allocated IS NOT NULL) AS event_ns,
       first(event ORDER BY allocated DESC, nth) FILTER (WHERE allocated IS NOT NULL) AS event,
       first(from_ns ORDER BY allocated DESC, nth) FILTER (WHERE allocated IS NOT NULL) AS from_ns,
       bool_or(told) AS told, bool_or(address <> 0) AS addressed
FROM held
GROUP BY rank, device_type, device
