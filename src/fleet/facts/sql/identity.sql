-- What tells a recording from every other, as one text: its moment and length, its ranks, and how many spans it has and
-- how long they are. Nothing of it depends on the name of a file or on the rules of an analysis.
SELECT concat_ws('|',
           (SELECT string_agg(key || '=' || value, ',' ORDER BY key, value) FROM raw.meta
            WHERE key IN ('origin_is_unix', 'origin_ns', 'begin_ns', 'end_ns')),
           (SELECT string_agg(concat_ws(':', number, world_size, host), ',' ORDER BY number, id) FROM raw.ranks),
           (SELECT concat_ws(':', count(*), sum(dur_ns)) FROM raw.device_spans),
           (SELECT concat_ws(':', count(*), sum(dur_ns)) FROM raw.ops),
           (SELECT concat_ws(':', count(*), sum(dur_ns)) FROM raw.api_calls),
           (SELECT concat_ws(':', count(*), sum(dur_ns)) FROM raw.annotations))
