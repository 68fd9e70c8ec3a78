SELECT ($rank IS NULL OR EXISTS (FROM raw.ranks WHERE number = $rank)) AS rank_is_there,
       ($start IS NULL
        OR EXISTS (FROM raw.iterations i
                   JOIN raw.ranks r ON r.id = i.rank
                   WHERE i.number BETWEEN $start AND $stop AND ($rank IS NULL OR r.number = $rank))) AS iteration_is_there,
       coalesce((SELECT max(number) FROM raw.iterations), -1) AS last_iteration
