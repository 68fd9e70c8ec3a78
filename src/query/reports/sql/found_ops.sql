-- Ops with a text in one of the columns that the table of kernel instances has of them.
CREATE OR REPLACE TEMP TABLE found_ops AS
SELECT i.id
FROM raw.op_identities i
LEFT JOIN raw.layers l ON l.id = i.layer
WHERE contains(lower(i.name), lower($text))
   OR contains(lower(i.type), lower($text))
   OR contains(lower(searched_shapes(i.shapes)), lower($text))
   OR contains(lower(i.dtypes), lower($text))
   OR contains(lower(l.path), lower($text))
   OR contains(lower(searched_direction(direction_name(i.direction))), lower($text))
