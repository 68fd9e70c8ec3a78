-- The tracks whose spans are wanted, each with the time that counts where a span has no iteration.
CREATE OR REPLACE TEMP TABLE chosen_tracks AS
SELECT t.id AS track, CASE WHEN $start IS NULL THEN -9223372036854775807 ELSE min(i.begin_ns) END AS begin_ns,
       CASE WHEN $start IS NULL THEN 9223372036854775807 ELSE max(i.end_ns) END AS end_ns
FROM raw.tracks t
LEFT JOIN raw.ranks r ON r.id = t.rank
LEFT JOIN raw.iterations i ON i.rank = t.rank AND i.number BETWEEN $start AND $stop
WHERE $rank IS NULL OR r.number = $rank
GROUP BY t.id
