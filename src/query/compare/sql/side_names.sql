-- What a program does, by names: those of its ops and kernels, or of its ranges where it has neither.
WITH work AS (
    SELECT name FROM raw.op_identities
    UNION
    SELECT short_name FROM raw.kernel_names
)
FROM work
UNION
SELECT DISTINCT x.text
FROM raw.annotations a
JOIN raw.strings x ON x.id = a.name
WHERE NOT EXISTS (FROM work)
ORDER BY 1
