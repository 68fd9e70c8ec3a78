-- How many spans a replay of the range goes through.
SELECT (SELECT count(*) FROM sel_ops) + (SELECT count(*) FROM sel_device) + (SELECT count(*) FROM sel_api) AS spans
