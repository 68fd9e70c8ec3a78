SELECT run, label, value FROM {{labels}} ORDER BY run, label
