-- Texts of ranges that may be Python dicts, as PyProf and DLProf's PyTorch package write them.
SELECT x.id, x.text, t.of_tensorflow
FROM (SELECT text, bool_or(of_tensorflow) AS of_tensorflow FROM domain_ranges WHERE chosen GROUP BY text) t
JOIN raw.strings x ON x.id = t.text
WHERE starts_with(x.text, '{')
