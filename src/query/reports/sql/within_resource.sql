-- The rows of a relation with `rank`, `begin_ns` and `end_ns`, and how much of a resource's time each holds,
-- `within_ns`: the time until its end less that until its begin, as resource_before() tells it; in the second the time
-- without pauses before work that was launched already, which stands $unqueued places behind.
CREATE OR REPLACE TEMP MACRO within_resource(relation, name) AS TABLE
    SELECT a.*, (resource_before(a.rank, a.end_ns, resource(name))
                 - resource_before(a.rank, a.begin_ns, resource(name)))::BIGINT AS within_ns
    FROM query_table(relation) a;

CREATE OR REPLACE TEMP MACRO within_unqueued(relation, name) AS TABLE
    SELECT a.*, (resource_before(a.rank, a.end_ns, resource(name) + $unqueued)
                 - resource_before(a.rank, a.begin_ns, resource(name) + $unqueued))::BIGINT AS within_ns
    FROM query_table(relation) a
