-- A function counts once for a sample, however often it is on the stack.
WITH stacks AS (
    SELECT stack, count(*) AS samples
    FROM chosen('raw.cpu_samples')
    GROUP BY stack
), frames AS (
    SELECT s.samples, string_split(x.text, chr(10)) AS frames
    FROM stacks s
    JOIN raw.strings x ON x.id = s.stack
), counts AS (
    SELECT frames[1] AS function, samples AS own, 0 AS below
    FROM frames
    UNION ALL
    SELECT unnest(list_distinct(frames)), 0, samples
    FROM frames
), sums AS (
    SELECT function, sum(own)::BIGINT AS self_samples, sum(below)::BIGINT AS samples
    FROM counts
    GROUP BY function
)
SELECT *,
       100.0 * self_samples / nullif((SELECT sum(samples) FROM stacks), 0) AS self_share_pct,
       100.0 * samples / nullif((SELECT sum(samples) FROM stacks), 0) AS share_pct
FROM sums
