-- Whether half of the chosen launches by $call that took long are the first of their kernel, which load its code.
WITH launches AS (
    SELECT d.name, t.rank, a.begin_ns
    FROM raw.device_spans d
    JOIN raw.api_calls a ON a.id = d.launch
    JOIN raw.tracks t ON t.id = a.track
    WHERE d.kind = device_kind('kernel')
), first AS (
    SELECT name, rank, min(begin_ns) AS begin_ns FROM launches GROUP BY ALL
), long AS (
    SELECT d.name, t.rank, a.begin_ns
    FROM sel_device d
    JOIN raw.api_calls a ON a.id = d.launch
    JOIN raw.tracks t ON t.id = a.track
    JOIN raw.strings x ON x.id = a.name
    WHERE d.kind = device_kind('kernel') AND a.dur_ns >= $long_ns AND x.text = $call
)
SELECT count(*) > 0 AND 2 * count(*) FILTER (WHERE l.begin_ns = f.begin_ns) >= count(*) AS mostly_first
FROM long l
JOIN first f USING (name, rank)
