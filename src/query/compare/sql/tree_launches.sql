-- How the kernels of each op were launched in a rank: of several ways that which took most time, and their number.
WITH ways AS (
    SELECT d.op, d.name, d.config, sum(d.dur_ns) AS ns
    FROM sel_device d
    JOIN raw.tracks t ON t.id = d.track
    JOIN raw.ranks r ON r.id = t.rank
    WHERE coalesce(r.number, 0) = $rank AND d.kind = device_kind('kernel') AND d.config >= 0
    GROUP BY ALL
), most AS (
    SELECT op, name, count(*) AS ways, arg_max(config, (ns, -config)) AS config
    FROM ways
    GROUP BY ALL
)
SELECT m.op, m.name, m.ways, c.grid_x, c.grid_y, c.grid_z, c.block_x, c.block_y, c.block_z, c.registers_per_thread,
       nullif(c.static_shared_bytes, -1) + greatest(c.dynamic_shared_bytes, 0) AS shared_bytes, c.occupancy_pct, c.waves
FROM most m
JOIN raw.launch_configs c ON c.id = m.config
