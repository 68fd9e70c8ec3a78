-- Launches of which the profile has no device work, the kernels that it has, and whether a source is cut. Kernels whose
-- launch was not found may be the work of some, and so may kernels that stand beside another one of their launch, which
-- only graphs have: numbers that join the two may be missing, or come twice.
WITH told AS (
    SELECT coalesce(sum(count), 0) AS count FROM raw.diagnostics WHERE key = 'lost_device_work'
), k AS (
    -- Of millions of kernels, which need not be looked at where nothing is lost.
    SELECT launch, count(*) AS kernels
    FROM raw.device_spans
    WHERE kind = device_kind('kernel') AND (SELECT count FROM told) > 0
    GROUP BY launch
), others AS (
    SELECT sum(CASE WHEN k.launch < 0 THEN k.kernels
                    WHEN NOT contains(x.text, 'Graph') THEN k.kernels - 1 END) AS kernels
    FROM k
    LEFT JOIN raw.api_calls a ON a.id = k.launch
    LEFT JOIN raw.strings x ON x.id = a.name
)
SELECT greatest(0, (SELECT count FROM told) - coalesce((SELECT kernels FROM others), 0))::BIGINT AS lost,
       (SELECT count(*) FROM raw.device_spans WHERE kind = device_kind('kernel'))::BIGINT AS kernels,
       EXISTS (FROM raw.diagnostics WHERE key = 'truncated_input') AS truncated
