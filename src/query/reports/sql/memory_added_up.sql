-- Whether a peak within the range is a sum of changes, and whether such a sum began anew after a pause. Needs
-- memory_held.
SELECT coalesce(bool_or(NOT told), false) AS added_up,
       coalesce(bool_or(NOT told AND EXISTS (FROM raw.recording_pauses r WHERE r.rank = p.rank)), false) AS anew
FROM memory_peaks p
WHERE events > 0 OR allocated > 0
