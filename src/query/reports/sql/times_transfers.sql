-- When copies and sets of memory run: all ($what 'any'); copies from or to memory that is not pinned ('pageable'), or
-- of at most $small_bytes from the host ('small'), both with the calls that launched them.
WITH moved AS (
    SELECT d.*
    FROM sel_device d
    LEFT JOIN raw.transfers x ON x.id = d.transfer
    WHERE is_transfer(d.kind)
      AND ($what = 'any'
           OR $what = 'pageable' AND d.kind = device_kind('copy')
              AND (x.copy_kind = copy_kind('HtoD') AND x.from_kind = memory_kind('Pageable')
                   OR x.copy_kind = copy_kind('DtoH') AND x.to_kind = memory_kind('Pageable'))
           OR $what = 'small' AND x.copy_kind = copy_kind('HtoD') AND d.bytes BETWEEN 0 AND $small_bytes)
), all_times AS (
    SELECT track, begin_ns, dur_ns FROM moved
    UNION ALL
    SELECT a.track, a.begin_ns, a.dur_ns
    FROM raw.api_calls a
    SEMI JOIN moved m ON m.launch = a.id
    WHERE $what <> 'any'
)
SELECT t.rank::BIGINT AS rank, s.begin_ns::BIGINT AS begin_ns, (s.begin_ns + s.dur_ns)::BIGINT AS end_ns
FROM all_times s
JOIN raw.tracks t ON t.id = s.track
