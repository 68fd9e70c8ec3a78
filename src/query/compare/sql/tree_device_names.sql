-- What device work is called, with what is shown of it: kernels by their names' number, other work by that of its text.
SELECT true AS kernel, id, name, label, tc_use_name(uses_tc) AS uses_tc,
       class = kernel_class('communication') AS communication
FROM raw.kernel_names
UNION ALL
SELECT false, s.id, s.text, s.text, '', false
FROM raw.strings s
SEMI JOIN sel_device d ON d.name = s.id AND is_busy(d.kind) AND d.kind <> device_kind('kernel')
