SELECT key, severity, count, help
FROM raw.diagnostics
WHERE (NOT $for_people OR severity <> 'info')
  -- Of the profile as it was made: they may have been cut since.
  AND NOT ($iterations AND key = 'no_iterations')
