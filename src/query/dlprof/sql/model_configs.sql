-- {"model_config": {"emit_nvtx": true}}: settings that DLProf's PyTorch package tells in a range.
SELECT text
FROM raw.strings
WHERE starts_with(text, '{')
  AND contains(text, 'model_config')
  AND id IN (SELECT text FROM raw.nvtx_ranges)
ORDER BY id
