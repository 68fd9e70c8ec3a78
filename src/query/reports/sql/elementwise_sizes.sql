-- Of inputs of ops the bytes of a result that is as large as the largest of them, where shapes and types tell.
SELECT *
FROM (
    SELECT id::BIGINT AS id,
           (list_max(list_transform(regexp_extract_all(shapes, '\[(\d+(?:, \d+)*)\]', 1),
                                    lambda x: list_product(list_transform(string_split(x, ', '),
                                                                          lambda y: TRY_CAST(y AS DOUBLE)))))
            * CASE regexp_extract(dtypes, '"(?:c10::)?(float|double|Half|BFloat16)"', 1)
                  WHEN 'float' THEN 4 WHEN 'double' THEN 8 WHEN '' THEN NULL ELSE 2 END)::DOUBLE AS bytes
    FROM raw.signatures
)
WHERE bytes IS NOT NULL
