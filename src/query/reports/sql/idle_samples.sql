-- CPU samples in the time in which nothing of the recording runs: how many, and the function that has most.
WITH within AS MATERIALIZED (
    SELECT split_part(x.text, chr(10), 1) AS function
    FROM raw.cpu_samples s
    JOIN raw.tracks t ON t.id = s.track
    JOIN raw.strings x ON x.id = s.stack
    ASOF JOIN resource_time('idle') i ON i.rank = t.rank AND s.time_ns >= i.begin_ns
    WHERE s.time_ns < i.end_ns
)
SELECT (SELECT count(*) FROM within) AS samples, count(*) AS of_function, function
FROM within
GROUP BY function
ORDER BY of_function DESC, function
LIMIT 1
