-- The ops whose instances are looked at: those of the list $ops, of all of them where it is NULL.
CREATE OR REPLACE TEMP TABLE shown_ops AS
SELECT DISTINCT op
FROM op_sums
WHERE op <> -1 AND ($ops IS NULL OR op IN (SELECT unnest($ops::INTEGER[])))
