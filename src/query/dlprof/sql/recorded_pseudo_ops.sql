-- What it tells of API calls that are ops of their own.
SELECT a.id, p.text AS payload
FROM raw.api_calls a
JOIN raw.nvtx_payloads p ON p.id = a.id
WHERE p.type = payload_type('text')
