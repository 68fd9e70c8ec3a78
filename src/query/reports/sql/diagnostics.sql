-- What a profiler warned of is in its words.
SELECT key, severity, count,
       CASE WHEN key = 'source_warning'
            THEN help || coalesce((SELECT ': "' || left(any_value(text), 200) || '"' FROM raw.diagnostic_places p
                                   WHERE p.key = 'source_warning'), '')
            ELSE help END AS help
FROM raw.diagnostics
WHERE (NOT $for_people OR severity <> 'info')
  -- Of the profile as it was made: they may have been cut since.
  AND NOT ($iterations AND key = 'no_iterations')
