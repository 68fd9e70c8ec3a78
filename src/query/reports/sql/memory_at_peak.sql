-- What each place of memory holds in the range when most of it is allocated, by who asked for it: the call stack where
-- it is told, else the innermost op. Needs memory_held and ops_of_events.
CREATE TEMP VIEW memory_at_peak AS
WITH peaks AS (
    FROM memory_peaks WHERE allocated > 0
), last AS (
    -- Of each address the last event until then: what it allocates lives. What was freed in a pause of the recording
    -- nobody told.
    SELECT t.rank, m.device_type, m.device, max((m.time_ns, m.rowid)) AS nth
    FROM raw.memory_events m
    JOIN raw.tracks t ON t.id = m.track
    JOIN peaks p ON p.rank = t.rank AND p.device_type = m.device_type AND p.device = m.device
        AND (m.time_ns < p.event_ns OR (m.time_ns = p.event_ns AND m.rowid <= p.event))
    WHERE m.bytes <> 0 AND m.address <> 0 AND m.time_ns >= coalesce(p.from_ns, m.time_ns)
    GROUP BY t.rank, m.device_type, m.device, m.address
), living AS (
    SELECT l.rank, l.device_type, l.device, m.rowid AS event, m.track, m.time_ns, m.bytes, m.stack
    FROM last l
    JOIN raw.memory_events m ON m.rowid = l.nth[2]
    WHERE m.bytes > 0
), asked AS (
    SELECT event, track, time_ns
    FROM living l
    WHERE EXISTS (FROM sel_wall w WHERE w.rank = l.rank AND l.time_ns >= w.begin_ns AND l.time_ns < w.end_ns)
), held AS (
    SELECT l.rank, l.device_type, l.device, l.bytes, l.stack, coalesce(o.op, -1) AS op
    FROM living l
    LEFT JOIN ops_of_events('asked') o ON o.event = l.event
), sums AS (
    SELECT rank, device_type, device, stack, op, sum(bytes)::BIGINT AS bytes, count(*) AS allocations,
           max(bytes) AS largest
    FROM held
    GROUP BY ALL
), fitting AS (
    -- Where more lives than the source's total, ends of memory are missing: what lives is not known.
    FROM sums
    QUALIFY sum(bytes) OVER (PARTITION BY rank, device_type, device)
        <= 1.01 * (SELECT p.allocated FROM peaks p
                   WHERE p.rank = sums.rank AND p.device_type = sums.device_type AND p.device = sums.device)
), with_rest AS (
    -- Totals of the source hold what was allocated before the recording. Without addresses (of PyTorch before 1.12)
    -- nothing tells which allocations live.
    FROM fitting
    UNION ALL BY NAME
    SELECT p.rank, p.device_type, p.device,
           CASE WHEN NOT p.addressed THEN -2
                WHEN sum(f.bytes) IS NULL AND (p.rank, p.device_type, p.device) IN
                    (SELECT (rank, device_type, device) FROM sums) THEN -3
                WHEN p.from_ns IS NOT NULL THEN -4
                ELSE -1 END AS stack,
           -1 AS op, (p.allocated - coalesce(sum(f.bytes), 0))::BIGINT AS bytes
    FROM peaks p
    LEFT JOIN fitting f ON f.rank = p.rank AND f.device_type = p.device_type AND f.device = p.device
    GROUP BY p.rank, p.device_type, p.device, p.allocated, p.addressed, p.from_ns
    HAVING p.allocated > coalesce(sum(f.bytes), 0)
), frames AS (
    SELECT DISTINCT s.stack, x.text, string_split(x.text, chr(10)) AS lines
    FROM sums s
    JOIN raw.strings x ON x.id = s.stack
    WHERE x.text <> ''
), callers AS (
    -- The program's own line: the first that is no library's.
    SELECT stack, text,
           coalesce(list_filter(lines, lambda line: regexp_matches(line, '\.pyx?:\d+\)$')
                        AND NOT regexp_matches(line, '(site|dist)-packages/|/lib/python|\(<'))[1], lines[1]) AS line
    FROM frames
)
SELECT r.number AS rank, s.device_type, s.device, p.allocated AS peak,
       CASE s.stack WHEN -1 THEN 'allocated before the recording'
                    WHEN -2 THEN 'not told: the source gives no addresses'
                    WHEN -3 THEN 'not told: more was never freed than the source says is allocated'
                    WHEN -4 THEN 'allocated before the recording, or before or in a pause of it'
                    ELSE coalesce(c.line, i.name, 'not told')
       END AS holder_name,
       s.stack >= 0 AND (c.line IS NOT NULL OR i.name IS NOT NULL) AS told,
       s.bytes, s.allocations, s.largest, s.op, c.text AS stack
FROM with_rest s
JOIN peaks p ON p.rank = s.rank AND p.device_type = s.device_type AND p.device = s.device
LEFT JOIN callers c ON c.stack = s.stack
LEFT JOIN raw.op_identities i ON i.id = s.op
LEFT JOIN raw.ranks r ON r.id = s.rank
