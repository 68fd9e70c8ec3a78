-- Kinds of copies in the words of nsys; those of memory have its words.
CREATE TEMP TABLE copy_labels AS
FROM (VALUES
    (copy_kind('Unknown'), 'Unknown'),
    (copy_kind('HtoD'), 'Host-to-Device'),
    (copy_kind('DtoH'), 'Device-to-Host'),
    (copy_kind('HtoA'), 'Host-to-Array'),
    (copy_kind('AtoH'), 'Array-to-Host'),
    (copy_kind('AtoA'), 'Array-to-Array'),
    (copy_kind('AtoD'), 'Array-to-Device'),
    (copy_kind('DtoA'), 'Device-to-Array'),
    (copy_kind('DtoD'), 'Device-to-Device'),
    (copy_kind('HtoH'), 'Host-to-Host'),
    (copy_kind('PtoP'), 'Peer-to-Peer'),
    (copy_kind('UVM HtoD'), 'Unified Host-to-Device'),
    (copy_kind('UVM DtoH'), 'Unified Device-to-Host'),
    (copy_kind('UVM DtoD'), 'Unified Device-to-Device')
) v (id, label);

CREATE TEMP TABLE memory_labels AS
SELECT memory_kind(label) AS id, label
FROM (VALUES
    ('Pageable'), ('Pinned'), ('Device'), ('Array'), ('Managed'), ('Device Static'),
    ('Managed Static'), ('Unknown')
) v (label)
