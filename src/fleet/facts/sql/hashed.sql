SELECT substr(sha256($text), 1, 32)
