-- Matrix products whose kernel's name tells the tile of the result that a block works out, with the part of what its
-- tiles cover that is no part of the result. A tile's first size lies along the result's last one: libraries
-- of GPUs keep matrices by columns, PyTorch by rows.
CREATE TEMP VIEW tile_tails AS
WITH products AS (
    SELECT o.id, i.name, s.shapes, regexp_extract_all(s.shapes, '\[(\d+(?:, \d+)+)\]', 1) AS list
    FROM raw.ops o
    JOIN raw.op_identities i ON i.id = o.op AND regexp_matches(i.name, '^aten::(mm|addmm|bmm|baddbmm|_scaled_mm)$')
    JOIN raw.signatures s ON s.id = o.signature
), sizes AS (
    -- What is added to the product comes before its matrices; it may be a vector.
    SELECT id, name, name IN ('aten::addmm', 'aten::baddbmm') AS adds,
           TRY_CAST(string_split(list[CASE WHEN adds THEN -2 ELSE 1 END], ', ')[-2] AS BIGINT) AS rows_,
           TRY_CAST(string_split(list[CASE WHEN adds THEN -1 ELSE 2 END], ', ')[-1] AS BIGINT) AS columns_
    FROM products
), tiles AS (
    SELECT id, TRY_CAST(tile[1] AS DOUBLE) AS tile_columns, TRY_CAST(tile[2] AS DOUBLE) AS tile_rows
    FROM (
        SELECT id, regexp_extract_all(regexp_extract(
                   name, '(?:gemm(?:_[a-z0-9]+)*?_|tilesize|nvjet_[a-z]+_|_MT)(\d{2,3}x\d{2,3})', 1), '\d+') AS tile
        FROM raw.kernel_names
    )
    WHERE len(tile) = 2
)
SELECT d.track, d.begin_ns, d.dur_ns, s.name AS op_name, s.rows_, s.columns_, t.tile_rows, t.tile_columns,
       1 - s.rows_ / (ceil(s.rows_ / t.tile_rows) * t.tile_rows)
           * (s.columns_ / (ceil(s.columns_ / t.tile_columns) * t.tile_columns)) AS empty_part
FROM sel_device d
JOIN tiles t ON t.id = d.name
JOIN sizes s ON s.id = d.op_span
WHERE d.kind = device_kind('kernel') AND s.rows_ > 0 AND s.columns_ > 0 AND t.tile_rows > 0 AND t.tile_columns > 0
