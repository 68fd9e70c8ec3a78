-- Ops from the chosen ranges: those that are ops, or all of them. Which one is inside another is found anew.
SELECT r.id::INTEGER AS id, r.track::INTEGER AS track, coalesce(o.op, -1)::INTEGER AS op, -1::INTEGER AS parent,
       coalesce(o.forward, -1)::INTEGER AS forward, coalesce(o.iteration, -1)::INTEGER AS iteration,
       r.begin_ns::BIGINT AS begin_ns, (r.begin_ns + r.dur_ns)::BIGINT AS end_ns,
       coalesce(o.sequence, -1)::BIGINT AS sequence
FROM domain_ranges r
LEFT JOIN raw.ops o ON o.id = r.id
WHERE r.chosen AND NOT has_flag(r.flags, 'instant') AND ($all_ranges OR o.id IS NOT NULL)
ORDER BY r.id
