-- Kernels with a text in one of the columns that the table of instances has of them; $places: it has all of them.
CREATE OR REPLACE TEMP TABLE found_names AS
SELECT id
FROM raw.kernel_names
WHERE contains(lower(name), lower($text))
   OR contains(lower(label), lower($text))
   OR contains(tc_use_name(uses_tc), lower($text))
   OR $places AND (contains(lower(tc_pattern), lower($text))
                   OR contains(tc_evidence_name(tc_evidence), lower($text))
                   OR contains(kernel_class_name(class), lower($text)))
