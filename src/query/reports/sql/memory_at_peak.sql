-- What each place of memory holds in the range when most of it is allocated, by who asked for it: the call stack where
-- it is told, else the innermost op. Needs memory_held and memory_event_ops.
CREATE TEMP VIEW memory_at_peak AS
WITH peaks AS (
    FROM memory_peaks WHERE allocated > 0
), blocks AS (
    SELECT rank, device_type, device, event, nth, bytes, stack,
           lead(nth) OVER (PARTITION BY rank, device_type, device, address ORDER BY nth) AS next_nth
    FROM memory_held
    WHERE bytes <> 0 AND address <> 0
), held AS (
    SELECT b.rank, b.device_type, b.device, b.bytes, b.stack, coalesce(o.op, -1) AS op
    FROM blocks b
    JOIN peaks p ON p.rank = b.rank AND p.device_type = b.device_type AND p.device = b.device AND b.nth <= p.nth
        AND (b.next_nth IS NULL OR b.next_nth > p.nth)
    LEFT JOIN memory_event_ops o ON o.event = b.event
    WHERE b.bytes > 0
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
                ELSE -1 END AS stack,
           -1 AS op, (p.allocated - coalesce(sum(f.bytes), 0))::BIGINT AS bytes
    FROM peaks p
    LEFT JOIN fitting f ON f.rank = p.rank AND f.device_type = p.device_type AND f.device = p.device
    GROUP BY p.rank, p.device_type, p.device, p.allocated, p.addressed
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
                    ELSE coalesce(c.line, i.name, 'not told')
       END AS holder_name,
       s.stack >= 0 AND (c.line IS NOT NULL OR i.name IS NOT NULL) AS told,
       s.bytes, s.allocations, s.largest, s.op, c.text AS stack
FROM with_rest s
JOIN peaks p ON p.rank = s.rank AND p.device_type = s.device_type AND p.device = s.device
LEFT JOIN callers c ON c.stack = s.stack
LEFT JOIN raw.op_identities i ON i.id = s.op
LEFT JOIN raw.ranks r ON r.id = s.rank
