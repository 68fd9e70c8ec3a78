-- Kernels with their name in the form that is asked for.
CREATE OR REPLACE TEMP MACRO named_kernels(form) AS TABLE
    SELECT g.*, k.text AS kernel
    FROM st_gpu g
    JOIN kernel_texts(form) k ON k.id = g.name
    WHERE g.kind = device_kind('kernel')
