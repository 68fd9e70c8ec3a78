-- "MatMul: model/dense/MatMul": what TensorFlow's ranges say after their type is the whole name of the op.
SELECT r.id, x.text
FROM domain_ranges r
SEMI JOIN raw.ops o ON o.id = r.id
JOIN raw.strings x ON x.id = r.text
WHERE r.of_tensorflow AND contains(x.text, ': ')
