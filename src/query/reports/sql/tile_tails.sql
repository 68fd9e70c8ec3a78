-- Matrix products whose kernel's name tells the tile of the result that a block works out, with the part of what its
-- tiles cover that is no part of the result. A tile's first size lies along the result's last one: libraries
-- of GPUs keep matrices by columns, PyTorch by rows.
CREATE TEMP TABLE tile_tails AS
WITH shapes AS (
    SELECT id, list_transform(regexp_extract_all(shapes, '\[(\d+(?:, \d+)+)\]', 1),
                              lambda x: string_split(x, ', ')) AS list
    FROM raw.signatures
), sizes AS (
    -- What is added to the product comes before its matrices; it may be a vector.
    SELECT s.id, adds, TRY_CAST(list[CASE WHEN adds THEN -2 ELSE 1 END][-2] AS BIGINT) AS rows_,
           TRY_CAST(list[CASE WHEN adds THEN -1 ELSE 2 END][-1] AS BIGINT) AS columns_
    FROM shapes s, (VALUES (true), (false)) v(adds)
    WHERE len(list) >= 2
), products AS (
    SELECT id, name, name IN ('aten::addmm', 'aten::baddbmm') AS adds
    FROM raw.op_identities
    WHERE regexp_matches(name, '^aten::(mm|addmm|bmm|baddbmm|_scaled_mm)$')
), tiles AS (
    SELECT id, TRY_CAST(tile[1] AS DOUBLE) AS tile_columns, TRY_CAST(tile[2] AS DOUBLE) AS tile_rows
    FROM (
        SELECT id, regexp_extract_all(regexp_extract(
                   name, '(?:gemm(?:_[a-z0-9]+)*?_|tilesize|nvjet_[a-z]+_|_MT)(\d{2,3}x\d{2,3})', 1), '\d+') AS tile
        FROM raw.kernel_names
    )
    WHERE len(tile) = 2
)
SELECT d.track, d.begin_ns, d.dur_ns, p.name AS op_name, s.rows_, s.columns_, t.tile_rows, t.tile_columns,
       1 - s.rows_ / (ceil(s.rows_ / t.tile_rows) * t.tile_rows)
           * (s.columns_ / (ceil(s.columns_ / t.tile_columns) * t.tile_columns)) AS empty_part
FROM sel_device d
JOIN tiles t ON t.id = d.name
JOIN raw.ops o ON o.id = d.op_span
JOIN products p ON p.id = o.op
JOIN sizes s ON s.id = o.signature AND s.adds = p.adds
WHERE d.kind = device_kind('kernel') AND s.rows_ > 0 AND s.columns_ > 0 AND t.tile_rows > 0 AND t.tile_columns > 0
