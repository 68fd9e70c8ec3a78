SELECT id, text FROM st_labels ORDER BY id
