-- Steps of servers that name them (vLLM: execute_.._context_P(..)_generation_D(..), SGLang: step[DECODE bs=D]), on the
-- host and as projected on devices: how many sequences they read for the first time (prefill), and how many they go on
-- with (decode).
WITH named AS (
    SELECT t.rank, a.begin_ns, a.dur_ns, x.text
    FROM sel_annotations a
    JOIN raw.tracks t ON t.id = a.track
    JOIN raw.strings x ON x.id = a.name
    UNION ALL
    SELECT t.rank, d.begin_ns, d.dur_ns, x.text
    FROM sel_device d
    JOIN raw.tracks t ON t.id = d.track
    JOIN raw.strings x ON x.id = d.name
    WHERE d.kind = device_kind('annotation')
), parsed AS (
    SELECT rank, begin_ns, begin_ns + dur_ns AS end_ns,
           CASE WHEN starts_with(text, 'execute_') THEN regexp_extract(text, '_context_(\d+)\(', 1)
                WHEN regexp_matches(text, '^step\[(EXTEND|PREFILL|MIXED)') THEN regexp_extract(text, 'bs=(\d+)', 1)
                ELSE '0' END AS prefill,
           CASE WHEN starts_with(text, 'execute_') THEN regexp_extract(text, '_generation_(\d+)\(', 1)
                WHEN starts_with(text, 'step[DECODE') THEN regexp_extract(text, 'bs=(\d+)', 1)
                ELSE '0' END AS decode
    FROM named
    WHERE regexp_matches(text, '^(execute_.*_context_\d+\(.*_generation_\d+\(|step\[(DECODE|EXTEND|PREFILL|MIXED)\b)')
)
SELECT rank::BIGINT AS rank, begin_ns::BIGINT AS begin_ns, end_ns::BIGINT AS end_ns,
       coalesce(TRY_CAST(prefill AS INTEGER), 0)::BIGINT AS prefill,
       coalesce(TRY_CAST(decode AS INTEGER), 0)::BIGINT AS decode
FROM parsed
ORDER BY 1, 2, 3 DESC
