FROM kernel_rows
