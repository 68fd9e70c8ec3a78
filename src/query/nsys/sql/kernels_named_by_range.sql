-- As named_kernels.sql, with the innermost NVTX range around the launch before the name.
CREATE OR REPLACE TEMP MACRO named_kernels(form) AS TABLE
    SELECT g.*, CASE WHEN l.text IS NULL THEN k.text ELSE l.text || '/' || k.text END AS kernel
    FROM st_gpu g
    JOIN kernel_texts(form) k ON k.id = g.name
    LEFT JOIN st_innermost i ON i.rid = g.rid
    LEFT JOIN st_labels l ON l.id = i.label
    WHERE g.kind = device_kind('kernel')
