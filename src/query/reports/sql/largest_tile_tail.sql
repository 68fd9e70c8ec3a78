-- The product whose tiles' empty part takes most time, with its result and its tile.
SELECT op_name, rows_, columns_, tile_rows::BIGINT AS tile_rows, tile_columns::BIGINT AS tile_columns,
       100 * empty_part AS empty_pct
FROM tile_tails
WHERE 100 * empty_part >= $pct
GROUP BY ALL
ORDER BY sum(dur_ns * empty_part) DESC, op_name, rows_, columns_
LIMIT 1
