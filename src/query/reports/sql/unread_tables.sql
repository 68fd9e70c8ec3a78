SELECT substr(key, length('unread_table.') + 1) AS "table",
       nullif(TRY_CAST(value AS BIGINT), -1) AS rows
FROM raw.meta
WHERE starts_with(key, 'unread_table.')
