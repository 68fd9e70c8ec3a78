-- Instances of the shown ops in the order of their ids.
SELECT o.id::INTEGER, o.dur_ns::BIGINT, o.op::INTEGER, rank_group(coalesce(t.rank, -1), $ranks_by)::INTEGER AS rank
FROM sel_ops o
SEMI JOIN shown_ops s ON s.op = o.op
LEFT JOIN raw.tracks t ON t.id = CASE WHEN $ranks_by <> '' THEN o.track END
