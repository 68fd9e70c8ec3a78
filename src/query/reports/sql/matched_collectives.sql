-- Collectives of the range, as the profile has them matched (raw.collective_calls): range_members, a row a call of a
-- rank with the iteration that it counts for, and matched_collectives, a row a collective of devices. `first`: the
-- first of the range for some rank, which ranks enter as their recordings begin: what is waiting there tells nothing of
-- a rank.
CREATE OR REPLACE TEMP VIEW range_members AS
SELECT m.*, d.iteration, row_number() OVER (PARTITION BY m.rank ORDER BY m.begin_ns, m.device_span) = 1 AS first
FROM raw.collective_members m
JOIN sel_device d ON d.place = m.device_span
WHERE m.device_span >= 0
UNION ALL
SELECT m.*, a.iteration, row_number() OVER (PARTITION BY m.rank ORDER BY m.begin_ns, m.host_span) = 1
FROM raw.collective_members m
JOIN sel_annotations a ON a.id = m.host_span
WHERE m.host_span >= 0;

CREATE OR REPLACE TEMP VIEW range_calls AS
SELECT call, count(*) AS members, sum(dur_ns)::BIGINT AS ns, sum(nullif(exposed_ns, -1))::BIGINT AS exposed_ns,
       sum(nullif(waiting_ns, -1))::BIGINT AS waiting_ns, min(dur_ns) AS shortest_ns, max(iteration) AS iteration,
       bool_or(first) AS first
FROM range_members
GROUP BY call;

CREATE OR REPLACE TEMP VIEW matched_collectives AS
SELECT c.id, c.kernel AS name, c.name AS text, c.comm_group, g.name AS group_name, g.ranks AS group_ranks, c.collective,
       nullif(c.bytes, -1) AS bytes, nullif(c.ranks, -1) AS ranks, r.ns, r.exposed_ns, r.waiting_ns,
       coalesce(nullif(c.transfer_ns, -1), r.shortest_ns) AS shortest_ns, c.last_rank AS last,
       c.state <> match_state('peers not told') AS together, c.state = match_state('matched') AS matched, r.first
FROM raw.collective_calls c
JOIN range_calls r ON r.call = c.id
JOIN raw.comm_groups g ON g.id = c.comm_group
WHERE NOT g.on_host;

-- What crosses the busiest link for each byte of a collective's size.
CREATE OR REPLACE TEMP MACRO bus_factor(collective, ranks) AS
    CASE WHEN regexp_matches(collective, 'all_?reduce', 'i') THEN 2.0 * (ranks - 1) / ranks
         WHEN regexp_matches(collective, 'gather|reduce_?scatter|all_?to_?all', 'i')
             THEN 1.0 * (ranks - 1) / ranks
         WHEN regexp_matches(collective, 'broadcast|reduce|send|recv', 'i') THEN 1.0 END
