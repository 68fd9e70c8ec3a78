SELECT count(*) FROM kernel_spans
