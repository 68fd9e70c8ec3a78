-- What an operation of communication is: as its call tells, `told`, else by its `name`. NCCL and RCCL make
-- all-to-alls of sends and receives, and the kernel's name is the same.
CREATE OR REPLACE TEMP MACRO exchange_kind(told, name) AS
    CASE WHEN regexp_matches(replace(coalesce(told, ''), '_', ''), 'alltoall', 'i') THEN 'collective'
         WHEN regexp_matches(told, 'send|recv', 'i') THEN 'point-to-point'
         WHEN told <> '' THEN 'collective'
         WHEN regexp_matches(name, '^(gloo|mpi|ucc):.*(send|recv)', 'i') THEN 'point-to-point'
         WHEN regexp_matches(name, 'send_?recv', 'i') THEN 'point-to-point or all-to-all'
         ELSE 'collective'
    END
