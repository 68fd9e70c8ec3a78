SELECT DISTINCT a.begin_ns, a.begin_ns + a.dur_ns AS end_ns,
       try_cast(substr(x.text, length('DLProf iteration #') + 1) AS BIGINT) AS number
FROM raw.annotations a
JOIN raw.strings x ON x.id = a.name
WHERE starts_with(x.text, 'DLProf iteration #')
ORDER BY a.begin_ns, end_ns, number
