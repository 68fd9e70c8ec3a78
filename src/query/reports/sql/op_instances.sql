-- Instances of the shown ops in the order of their ids.
SELECT o.id::INTEGER, o.dur_ns::BIGINT, o.op::INTEGER, coalesce(t.rank, -1)::INTEGER AS rank
FROM sel_ops o
SEMI JOIN shown_ops s ON s.op = o.op
LEFT JOIN raw.tracks t ON t.id = CASE WHEN $by_rank THEN o.track END
