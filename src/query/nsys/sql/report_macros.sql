-- What several of the reports say.

-- The standard deviation, which one value does not have.
CREATE OR REPLACE TEMP MACRO spread(v) AS CASE WHEN count(v) > 0 THEN coalesce(stddev_samp(v), 0) END;

-- How the durations of a relation add up, for each of the names that it holds beside `dur_ns`.
CREATE OR REPLACE TEMP MACRO summed(relation) AS TABLE
    WITH sums AS (
        SELECT * EXCLUDE (dur_ns), sum(dur_ns)::BIGINT AS total_ns, count(*) AS instances, avg(dur_ns) AS avg_ns,
               median(dur_ns)::DOUBLE AS median_ns, min(dur_ns) AS min_ns, max(dur_ns) AS max_ns,
               spread(dur_ns) AS spread_ns
        FROM query_table(relation)
        GROUP BY ALL
    )
    SELECT coalesce(100.0 * total_ns / nullif((SELECT sum(total_ns) FROM sums), 0), 0) AS time_pct, total_ns,
           instances, avg_ns, median_ns, min_ns, max_ns, spread_ns,
           * EXCLUDE (total_ns, instances, avg_ns, median_ns, min_ns, max_ns, spread_ns)
    FROM sums;

CREATE OR REPLACE TEMP MACRO dimensions_text(x, y, z) AS
    CASE WHEN x >= 0 THEN format('{:4d} {:4d} {:4d}', x, y, z) END;

CREATE OR REPLACE TEMP MACRO address_text(address) AS
    CASE WHEN address <> -1 THEN printf('0x%x', address::UBIGINT) END;

-- The name of each kernel in the form that is asked for. Not every source tells the base and the mangled name.
CREATE OR REPLACE TEMP MACRO kernel_texts(form) AS TABLE
    SELECT id,
           CASE form
               WHEN 'base' THEN coalesce(nullif(base_name, ''), short_name)
               WHEN 'mangled' THEN coalesce(nullif(mangled_name, ''), name)
               ELSE name
           END AS text
    FROM raw.kernel_names;
