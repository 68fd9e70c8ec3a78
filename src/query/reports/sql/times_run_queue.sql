-- Needs run_queue_spans.
SELECT rank::BIGINT AS rank, begin_ns, end_ns
FROM run_queue_spans
