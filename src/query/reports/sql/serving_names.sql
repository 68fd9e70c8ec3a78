-- Texts that may name a step of a server; marks::serving_step tells whether they do, and what it says.
SELECT id::BIGINT AS id, text
FROM raw.strings
WHERE names_serving_step(text)
