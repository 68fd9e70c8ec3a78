-- A launch with the kernel that it started. The queue time runs from the end of the call to the begin of the kernel,
-- where that is later; the total to the later of both ends.
CREATE OR REPLACE TEMP MACRO kernel_launches(form) AS TABLE
    SELECT a.begin_ns AS api_begin_ns, a.dur_ns AS api_ns,
           CASE WHEN k.begin_ns > a.end_ns THEN a.end_ns END AS queue_begin_ns,
           CASE WHEN k.begin_ns > a.end_ns THEN k.begin_ns - a.end_ns END AS queue_ns,
           k.begin_ns AS kernel_begin_ns, k.dur_ns AS kernel_ns,
           greatest(a.end_ns, k.end_ns) - a.begin_ns AS total_ns,
           h.pid, h.tid, d.number AS device, n.text AS api, k.kernel, k.config, k.rid
    FROM named_kernels(form) k
    JOIN st_api a ON a.id = k.launch
    JOIN raw.strings n ON n.id = a.name
    JOIN raw.tracks h ON h.id = a.track
    JOIN raw.tracks s ON s.id = k.track
    LEFT JOIN raw.devices d ON d.id = s.device
