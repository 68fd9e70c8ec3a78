SELECT id, text FROM kernel_texts($kernel_name) ORDER BY id
