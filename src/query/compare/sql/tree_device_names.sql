-- What device work is called, with what is shown of it: kernels by their names' number, other work by that of its text.
-- Few names and many spans: a join with the spans themselves would take long.
WITH others AS MATERIALIZED (
    SELECT DISTINCT name FROM sel_device WHERE is_busy(kind) AND kind <> device_kind('kernel')
)
SELECT true AS kernel, id, name, label, tc_use_name(uses_tc) AS uses_tc,
       class = kernel_class('communication') AS communication
FROM raw.kernel_names
UNION ALL
SELECT false, s.id, s.text, s.text, '', false
FROM raw.strings s
JOIN others o ON o.name = s.id
