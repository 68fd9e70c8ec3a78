-- What a database of DLProf tells of its ops.
SELECT r.id, x.text AS name, p.text AS payload
FROM raw.nvtx_ranges r
JOIN raw.nvtx_payloads p ON p.id = r.id
JOIN raw.strings x ON x.id = r.text
WHERE p.type = payload_type('text')
