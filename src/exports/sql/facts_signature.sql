SELECT id, nullif(shapes, '') AS "Input Dims", nullif(dtypes, '') AS "Input type", nullif(concrete, '') AS "Concrete Inputs",
       nullif(strides, '') AS "Input Strides"
FROM raw.signatures
