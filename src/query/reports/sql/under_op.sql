-- The instances of an op and all that they call. sel_ops has those of the range.
CREATE OR REPLACE TEMP TABLE under_op AS
WITH RECURSIVE under AS (
    SELECT id FROM sel_ops WHERE op = $op
    UNION
    SELECT o.id
    FROM under u
    JOIN raw.ops o ON o.parent_op = u.id
)
FROM under
