-- What of a rank (ranks.id) rows are summed by: the rank itself, the first rank of its host, or nothing (-1).
-- $first_of_host has that first rank at the place of each.
CREATE TEMP MACRO rank_group(number, ranks_by) AS
    CASE ranks_by WHEN 'rank' THEN number
                  WHEN 'host' THEN coalesce(list_extract($first_of_host::BIGINT[], number + 1), -1)
                  ELSE -1 END
