SELECT text FROM raw.strings
UNION
SELECT name FROM raw.op_identities
