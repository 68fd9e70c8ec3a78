-- Every layer with all that it lies in, -1 the root of all.
CREATE TEMP VIEW layers_above AS
WITH RECURSIVE up AS (
    SELECT id AS layer, id AS ancestor FROM raw.layers
    UNION ALL
    SELECT up.layer, l.parent
    FROM up
    JOIN raw.layers l ON l.id = up.ancestor
    WHERE l.parent <> -1
)
FROM up
UNION ALL
SELECT id, -1 FROM raw.layers
UNION ALL
SELECT -1, -1
