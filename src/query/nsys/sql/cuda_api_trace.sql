SELECT a.begin_ns + $offset_ns AS start_ns, a.dur_ns, n.text AS name,
       CASE WHEN a.result <> -1 THEN a.result END AS result,
       nullif(a.correlation, -1) AS correlation,
       t.pid, t.tid,
       -- The least of all numbers stands for a priority that was not recorded.
       CASE WHEN t.priority > -2147483648 THEN t.priority END AS priority,
       nullif(t.name, '') AS thread
FROM st_api a
JOIN raw.strings n ON n.id = a.name
JOIN raw.tracks t ON t.id = a.track
ORDER BY a.begin_ns, a.id
