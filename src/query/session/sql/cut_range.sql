-- The instances of iterations that were cut anew; cut_number(rank, time) tells the number of the chosen iteration that
-- holds a time, or -1. $begin_ns and $end_ns are the bounds of all of them: they spare a look at most others.
CREATE TEMP MACRO cut_spans(relation) AS TABLE
    SELECT * EXCLUDE (cut) REPLACE (cut::INTEGER AS iteration)
    FROM (
        SELECT a.*, cut_number(t.rank, a.begin_ns) AS cut
        FROM query_table('raw.' || relation) a
        JOIN raw.tracks t ON t.id = a.track
        WHERE a.begin_ns >= $begin_ns AND a.begin_ns < $end_ns
    )
    WHERE cut >= 0;

CREATE TEMP VIEW sel_ops AS FROM cut_spans('ops');
CREATE TEMP VIEW sel_api AS FROM cut_spans('api_calls');
CREATE TEMP VIEW sel_annotations AS FROM cut_spans('annotations');
CREATE TEMP VIEW sel_modules AS FROM cut_spans('module_calls');

CREATE TEMP VIEW sel_device AS
SELECT * EXCLUDE (cut) REPLACE (cut::INTEGER AS iteration)
FROM (
    SELECT a.rowid AS place, a.*, cut_number(t.rank, a.host_ns) AS cut
    FROM raw.device_spans a
    JOIN raw.tracks t ON t.id = a.track
    WHERE a.host_ns >= $begin_ns AND a.host_ns < $end_ns
)
WHERE cut >= 0
