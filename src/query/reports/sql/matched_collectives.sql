-- Collectives, each with all kernels that took part in it, matched by process group, kernel and order. The member that
-- begins last has the shortest kernel, and what the others take longer is waiting for it: that needs no common clock.
-- `matched`: all ranks of the group are there (where its size is not told, all of the job), each with as many
-- collectives: a rank whose recording lacks one would be matched with the others' next. Kernels of sends and receives
-- are a collective (all to all) where they end together: within the time that the data took, or 100 us. `ranks`: those
-- of the group. `first`: the first of the range for some rank, which ranks enter as their recordings begin: what is
-- waiting there tells nothing of a rank.
CREATE OR REPLACE TEMP VIEW matched_collectives AS
WITH members AS (
    SELECT t.rank, d.name, d.collective, d.dur_ns, d.begin_ns + d.dur_ns AS end_ns,
           coalesce(c.group_name, '') AS group_name, coalesce(c.group_ranks, '') AS group_ranks,
           nullif(c.group_size, -1) AS group_size,
           -- Counted are the elements in and out; the size of a collective is the larger of both.
           w.bytes_min * d.share * greatest(c.in_elements, c.out_elements) / (c.in_elements + c.out_elements) AS bytes,
           regexp_matches(k.name, 'Send|Recv') AS pairs,
           row_number() OVER (
               PARTITION BY t.rank, d.name, c.group_name, c.group_ranks ORDER BY d.begin_ns, d.place
           ) AS number,
           count(*) OVER (PARTITION BY t.rank, d.name, c.group_name, c.group_ranks) AS of_rank,
           row_number() OVER (PARTITION BY t.rank ORDER BY d.begin_ns, d.place) = 1 AS first
    FROM sel_device d
    JOIN raw.tracks t ON t.id = d.track
    JOIN raw.kernel_names k ON k.id = d.name AND k.class = kernel_class('communication')
    LEFT JOIN raw.collectives c ON c.id = d.collective
    LEFT JOIN raw.works w ON w.id = d.work
    WHERE d.kind = device_kind('kernel')
), collectives AS (
    SELECT name, group_name, group_ranks, number, min(collective) AS collective, max(bytes) AS bytes,
           count(*) AS members, min(group_size) AS group_size, sum(dur_ns)::BIGINT AS ns, min(dur_ns) AS shortest_ns,
           arg_min(rank, dur_ns) AS last,
           NOT bool_or(pairs) OR max(end_ns) - min(end_ns) <= greatest(min(dur_ns), 100000) AS together,
           min(of_rank) AS fewest, max(of_rank) AS most, bool_or(first) AS first
    FROM members
    GROUP BY name, group_name, group_ranks, number
), whole AS (
    SELECT c.*, members > 1 AND members = coalesce(group_size, j.ranks)
                AND min(fewest) OVER of_group = max(most) OVER of_group AS everyone
    FROM collectives c, (SELECT greatest(count(*), max(world_size)) AS ranks FROM raw.ranks) j
    WINDOW of_group AS (PARTITION BY name, group_name, group_ranks)
)
SELECT * EXCLUDE (together, fewest, most, everyone, group_size), ns - members * shortest_ns AS waiting_ns, together,
       together AND everyone AS matched, coalesce(group_size, CASE WHEN everyone THEN members END) AS ranks
FROM whole;

-- What crosses the busiest link for each byte of a collective's size.
CREATE OR REPLACE TEMP MACRO bus_factor(collective, ranks) AS
    CASE WHEN regexp_matches(collective, 'all_?reduce', 'i') THEN 2.0 * (ranks - 1) / ranks
         WHEN regexp_matches(collective, 'gather|reduce_?scatter|all_?to_?all', 'i')
             THEN 1.0 * (ranks - 1) / ranks
         WHEN regexp_matches(collective, 'broadcast|reduce|send|recv', 'i') THEN 1.0 END
