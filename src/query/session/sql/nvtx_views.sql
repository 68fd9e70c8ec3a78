-- A label is a text in a domain: its number is made from both, so that no join over all ranges is needed.
CREATE TEMP TABLE nvtx_kinds AS
SELECT id, type AS style, domain_name,
       (list_position((SELECT list(DISTINCT domain_name ORDER BY domain_name) FROM raw.nvtx_attributes), domain_name)
        - 1)::INTEGER AS domain
FROM raw.nvtx_attributes;

CREATE TEMP VIEW all_ranges AS
SELECT r.id, r.track, r.begin_ns, r.begin_ns + r.dur_ns AS end_ns, r.dur_ns,
       (r.text * $domains + k.domain)::INTEGER AS label, k.style, r.end_track < 0 AS same_thread
FROM raw.nvtx_ranges r
JOIN nvtx_kinds k ON k.id = r.attributes
WHERE k.style IN (range_style('push_pop'), range_style('start_end')) AND NOT has_flag(r.flags, 'unfinished');

CREATE TEMP VIEW st_labels AS
SELECT l.label AS id, d.domain_name || ':' || s.text AS text, d.domain_name AS domain, s.text AS name
FROM (SELECT DISTINCT label FROM all_ranges) l
JOIN raw.strings s ON s.id = l.label // $domains
JOIN (SELECT DISTINCT domain, domain_name FROM nvtx_kinds) d ON d.domain = l.label % $domains
