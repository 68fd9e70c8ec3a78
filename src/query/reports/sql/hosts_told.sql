SELECT EXISTS (FROM raw.ranks WHERE host <> '')
