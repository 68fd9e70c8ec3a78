-- How many collectives have no waiting that is known. Needs matched_collectives.
SELECT count(*)::BIGINT AS collectives FROM matched_collectives WHERE NOT matched
