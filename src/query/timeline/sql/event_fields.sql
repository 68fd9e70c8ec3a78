-- The condition on the begin lets the database skip blocks of rows.
FROM query_table($view)
WHERE id = $id AND begin_ns = $begin_ns AND track = $track
