SELECT s.*, w.* EXCLUDE (op, kernel, type, name, direction, shapes, layer, rank, device)
FROM kernel_rows s
LEFT JOIN work_rows w ON w.kernel = s.kernel AND w.op = s.op_id AND w.rank = s.rank_id AND w.device = s.device_id
