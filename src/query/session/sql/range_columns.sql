SELECT begin_ns::BIGINT, end_ns::BIGINT, (CASE WHEN same_thread THEN track ELSE -1 END)::INTEGER, label::INTEGER,
       id::INTEGER, style::TINYINT
FROM st_range
WHERE $crossing OR same_thread
