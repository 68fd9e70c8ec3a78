-- chosen(relation): the rows of a relation with `track` and `time_ns` that lie in the chosen range by that time.
CREATE OR REPLACE TEMP MACRO chosen(relation) AS TABLE
    FROM query_table(relation)
    WHERE $whole
    UNION ALL
    SELECT s.*
    FROM query_table(relation) s
    JOIN raw.tracks t ON t.id = s.track
    ASOF JOIN sel_iterations i ON i.rank = t.rank AND s.time_ns >= i.begin_ns
    WHERE NOT $whole AND s.time_ns < i.end_ns
