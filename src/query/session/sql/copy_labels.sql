-- Kinds of copies and of memory in the words of nsys, by their numbers.
CREATE TEMP TABLE copy_labels AS
FROM (VALUES
    (0, 'Unknown'), (1, 'Host-to-Device'), (2, 'Device-to-Host'), (3, 'Host-to-Array'), (4, 'Array-to-Host'),
    (5, 'Array-to-Array'), (6, 'Array-to-Device'), (7, 'Device-to-Array'), (8, 'Device-to-Device'),
    (9, 'Host-to-Host'), (10, 'Peer-to-Peer'), (11, 'Unified Host-to-Device'), (12, 'Unified Device-to-Host'),
    (13, 'Unified Device-to-Device')
) v (id, label);

CREATE TEMP TABLE memory_labels AS
FROM (VALUES
    (0, 'Pageable'), (1, 'Pinned'), (2, 'Device'), (3, 'Array'), (4, 'Managed'), (5, 'Device Static'),
    (6, 'Managed Static'), (7, 'Unknown')
) v (id, label)
