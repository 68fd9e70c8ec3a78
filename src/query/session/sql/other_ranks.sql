-- Ranks without a chosen iteration count too.
SELECT EXISTS (FROM raw.tracks WHERE rank IS DISTINCT FROM 0)
