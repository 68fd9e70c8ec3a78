// A small run with something of everything, and what somebody might do to its profile file, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"
#include "db/schema.h"
#include "db/writer.h"

namespace opsight::db {

struct Change {
    std::string name, sql;
};

inline analyze::TestProfile sample_run() {
    analyze::TestProfile made;
    made.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0);
    const TrackId thread = made.thread(), stream = made.stream();
    for (int64_t i = 0; i < 4; ++i) {
        const int64_t at = i * 10'000;
        made.annotation("ProfilerStep#" + std::to_string(i), at, 9'000, thread);
        made.host(HostKind::kModule, "nn.Module: Net_0", at + 10, 8'000, thread);
        made.host(HostKind::kModule, "nn.Module: Linear_0", at + 20, 4'000, thread);
        made.op("aten::linear", at + 100, 3'000);
        made.op("aten::addmm", at + 200, 2'000);
        made.api("cudaLaunchKernel", at + 300, 100, thread, i + 1);
        made.kernel("ampere_sgemm_128x64_tn", at + 500, 1'500, stream, i + 1);
        made.op("aten::relu", at + 5'000, 500);
        made.host(HostKind::kPythonFrame, "train.py(1): step", at + 5, 8'500, thread);
        made.host(HostKind::kOther, "something", at + 8'500, 100, thread);
    }
    return made;
}

inline void write_sample(const std::string& path) {
    Profile profile = sample_run().finish();
    const analyze::Analysis analysis = analyze::analyze(profile, {});
    const Status status = write_profile(path, profile, analysis);
    ASSERT_TRUE(status.has_value()) << status.error().message();
}

// What anybody can do who has DuckDB.
inline void change_file(const std::string& path, const Change& change) {
    auto database = duck::Database::open(path, {});
    ASSERT_TRUE(database.has_value()) << database.error().message();
    auto connection = database->connect();
    const Status status = connection->execute(change.sql);
    ASSERT_TRUE(status.has_value()) << change.name << ": " << status.error().message();
}

// `target`: a file that is there, which nobody may read; `folder`: one where nobody may write.
inline std::vector<Change> programs(const std::string& target, const std::string& folder) {
    const std::string read = "SELECT 'producer' AS key, content AS value FROM read_text('" + target + "')";
    const std::string version =
        " UNION ALL SELECT 'schema_version', '" + std::to_string(kSchemaVersion) + "'";
    return {
        {"facts that are a file",
         "ALTER TABLE raw.meta RENAME TO old; CREATE VIEW raw.meta AS " + read + version},
        {"a view that logs",
         "CREATE OR REPLACE VIEW main.ops AS SELECT write_log('x') FROM enable_logging(storage := 'file', "
         "storage_path := '" +
             folder + "/log')"},
        {"a view that is ours, reading a file",
         "CREATE OR REPLACE VIEW main.meta AS SELECT key::VARCHAR AS key, value::VARCHAR AS value FROM (" +
             read + ")"},
        {"a further view", "CREATE VIEW main.extra AS FROM raw.meta"},
        {"a view of a view", "CREATE VIEW main.inner_one AS " + read +
                                 "; CREATE OR REPLACE VIEW main.meta AS FROM main.inner_one"},
        {"a view under another schema", "CREATE SCHEMA more; CREATE VIEW more.ops AS FROM raw.ops"},
        {"a macro sum", "CREATE MACRO main.sum(x) AS 1"},
        {"a macro max", "CREATE MACRO main.max(x) AS (SELECT content FROM read_text('" + target + "'))"},
        {"a macro coalesce in raw", "CREATE MACRO raw.upper(x) AS x"},
        {"a table macro",
         "CREATE MACRO main.duckdb_views() AS TABLE SELECT 1 AS view_name, 2 AS sql LIMIT 0"},
        {"a table macro duckdb_functions", "CREATE MACRO main.duckdb_functions() AS TABLE SELECT 1 LIMIT 0"},
        {"a table macro of a name of ours", "CREATE MACRO main.range(x) AS TABLE " + read},
        {"a type", "CREATE TYPE main.mood AS ENUM ('a', 'b')"},
        {"a type by the name of another", "CREATE TYPE raw.int8 AS VARCHAR"},
        {"a sequence", "CREATE SEQUENCE main.numbers"},
        {"an index", "CREATE INDEX by_key ON raw.meta (key)"},
        {"an index of an expression", "CREATE INDEX by_length ON raw.strings ((length(text)))"},
        {"a default that reads the clock",
         "ALTER TABLE raw.meta ALTER value SET DEFAULT CAST(now() AS VARCHAR)"},
        {"a default that is computed", "ALTER TABLE raw.models ALTER name SET DEFAULT getvariable('x')"},
        {"a constraint",
         "ALTER TABLE raw.models RENAME TO gone; CREATE TABLE raw.models (name VARCHAR, format VARCHAR, "
         "producer "
         "VARCHAR, batch DOUBLE CHECK (batch > 0), precision VARCHAR, device VARCHAR, nodes BIGINT, matched "
         "BIGINT, "
         "notes VARCHAR); DROP TABLE raw.gone"},
        {"a unique key", "ALTER TABLE raw.models ADD PRIMARY KEY (name)"},
        {"a computed column",
         "DROP TABLE raw.contexts; CREATE TABLE raw.contexts (rank INTEGER, context BIGINT, device BIGINT, "
         "parent "
         "BIGINT, green BOOLEAN AS (parent > 0))"},
        {"a table in main", "CREATE TABLE main.sel_ops (i INTEGER)"},
        {"another table in raw", "CREATE TABLE raw.more (i INTEGER)"},
        {"another schema", "CREATE SCHEMA profile"},
        {"a table that is a view",
         "DROP TABLE raw.contexts; CREATE VIEW raw.contexts AS SELECT 1 AS rank, 2 AS "
         "context, 3 AS device, 4 AS parent, true AS green"},
    };
}

// Tables and columns that are not those of the schema.
inline std::vector<Change> other_schemas() {
    return {
        {"a table less", "DROP TABLE raw.counters"},
        {"a view less", "DROP VIEW main.counters"},
        {"a column less", "ALTER TABLE raw.ops DROP share"},
        {"a column more", "ALTER TABLE raw.ops ADD COLUMN more BIGINT"},
        {"a column of another name", "ALTER TABLE raw.ops RENAME self_ns TO own_ns"},
        {"text for a number", "ALTER TABLE raw.kernel_names ALTER id TYPE VARCHAR"},
        {"a longer number", "ALTER TABLE raw.ops ALTER depth TYPE BIGINT"},
        {"a shorter number", "ALTER TABLE raw.ops ALTER begin_ns TYPE INTEGER"},
        {"a fraction", "ALTER TABLE raw.ops ALTER dur_ns TYPE DOUBLE"},
        {"an enumeration",
         "CREATE TYPE main.e AS ENUM ('aten::mm'); ALTER TABLE raw.meta ADD COLUMN x main.e"},
        {"a list", "ALTER TABLE raw.strings ALTER text TYPE VARCHAR[] USING [text]"},
        {"no version", "DELETE FROM raw.meta WHERE key = 'schema_version'"},
        {"two versions", "INSERT INTO raw.meta VALUES ('schema_version', '1')"},
        {"a version with letters", "UPDATE raw.meta SET value = value || 'x' WHERE key = 'schema_version'"},
        {"version 0", "UPDATE raw.meta SET value = '0' WHERE key = 'schema_version'"},
        {"a huge version", "UPDATE raw.meta SET value = '99999999999999' WHERE key = 'schema_version'"},
    };
}

inline std::vector<Change> missing_values() {
    std::vector<Change> out;
    for (const char* column : {"meta.value",
                               "meta.key",
                               "strings.text",
                               "strings.id",
                               "layers.name",
                               "layers.path",
                               "layers.parent",
                               "op_identities.name",
                               "op_identities.layer",
                               "kernel_names.name",
                               "kernel_names.short_name",
                               "ops.begin_ns",
                               "ops.op",
                               "ops.track",
                               "tracks.name",
                               "iterations.number",
                               "iterations.name",
                               "devices.name",
                               "ranks.number",
                               "device_spans.name",
                               "device_spans.dur_ns",
                               "op_stats.op",
                               "resource_segments.end_ns"}) {
        const std::string text = column;
        const size_t dot = text.find('.');
        const std::string table = text.substr(0, dot), name = text.substr(dot + 1);
        const std::string where = table == "meta" ? " WHERE key <> 'schema_version'" : "";
        out.push_back({"no " + text, "UPDATE raw." + table + " SET " + name + " = NULL" + where});
    }
    return out;
}

// Values that cannot be.
inline std::vector<Change> impossible_values() {
    std::vector<Change> out = missing_values();
    const std::vector<Change> wrong = {
        {"a layer that is its own parent", "UPDATE raw.layers SET parent = id WHERE id = 0"},
        {"layers in a ring", "UPDATE raw.layers SET parent = 1 - id WHERE id < 2"},
        {"a parent far away", "UPDATE raw.layers SET parent = 2000000000 WHERE id = 1"},
        {"a negative parent", "UPDATE raw.layers SET parent = -7 WHERE id = 1"},
        {"a layer of another depth", "UPDATE raw.layers SET depth = depth + 1 WHERE id = 1"},
        {"two layers of one number", "UPDATE raw.layers SET id = 0"},
        {"a negative layer", "UPDATE raw.layers SET id = -id - 5"},
        {"two strings of one number", "UPDATE raw.strings SET id = 1"},
        {"a string far away",
         "UPDATE raw.strings SET id = 2147483647 WHERE id = (SELECT max(id) FROM raw.strings)"},
        {"ops of one number", "UPDATE raw.ops SET id = 5"},
        {"an op that is its own parent", "UPDATE raw.ops SET parent_op = id"},
        {"a parent after its child", "UPDATE raw.ops SET parent_op = id + 1"},
        {"an op of no kind", "UPDATE raw.ops SET op = -1"},
        {"an op of a kind that is not there", "UPDATE raw.ops SET op = 1000000"},
        {"an op on no track", "UPDATE raw.ops SET track = 4000"},
        {"a negative duration", "UPDATE raw.ops SET dur_ns = -1"},
        {"a duration of 292 years", "UPDATE raw.device_spans SET dur_ns = 9223372036854775807"},
        {"a time at the end of time", "UPDATE raw.ops SET begin_ns = 9223372036854775807"},
        {"a time before time", "UPDATE raw.api_calls SET begin_ns = -9223372036854775808"},
        {"an iteration far away", "UPDATE raw.iterations SET number = 2147483647 WHERE number = 3"},
        {"more memory than there is",
         "INSERT INTO raw.memory_events VALUES (0, 0, 0, 9223372036854775807, -1, -1, 0, -1, -1, 0)"},
        {"an iteration twice", "INSERT INTO raw.iterations SELECT * FROM raw.iterations WHERE number = 1"},
        {"a negative iteration", "UPDATE raw.iterations SET number = -3 WHERE number = 0"},
        {"ops of an iteration that is not there", "UPDATE raw.ops SET iteration = 2000000000"},
        {"a kind of work that is none", "UPDATE raw.device_spans SET kind = 99"},
        {"a negative kind of work", "UPDATE raw.device_spans SET kind = -5"},
        {"a row of the timeline that is none", "UPDATE raw.tracks SET kind = 77"},
        {"a device that is not there", "UPDATE raw.tracks SET device = 5000"},
        {"a rank that is not there", "UPDATE raw.tracks SET rank = 5000"},
        {"tracks of one number", "UPDATE raw.tracks SET id = 0"},
        {"a kind of op that is gone",
         "DELETE FROM raw.op_identities WHERE id = 0; UPDATE raw.ops SET op = 0; UPDATE raw.device_spans SET "
         "op = 0; UPDATE raw.op_stats SET op = 0; UPDATE raw.work_stats SET op = 0"},
        {"a kernel twice", "INSERT INTO raw.kernel_names FROM raw.kernel_names"},
        {"an API call twice", "INSERT INTO raw.api_calls FROM raw.api_calls"},
        {"work of ops twice", "INSERT INTO raw.op_work FROM raw.op_work"},
    };
    out.insert(out.end(), wrong.begin(), wrong.end());
    return out;
}

// Values that may be, odd as they are: every question has an answer, or a sentence that says why it has none.
inline std::vector<Change> odd_values() {
    return {
        {"empty names",
         "UPDATE raw.op_identities SET name = '', type = ''; UPDATE raw.kernel_names SET name = '', "
         "short_name = ''; UPDATE raw.layers SET name = '', path = ''; UPDATE raw.strings SET text = ''"},
        {"one name for all layers", "UPDATE raw.layers SET name = 'x', path = 'x'"},
        {"long names", "UPDATE raw.op_identities SET name = repeat('a', 100000)"},
        {"names that are markup", "UPDATE raw.op_identities SET name = '<script>\"''&' || chr(27) || '[2J'"},
        {"shapes that are not JSON", "UPDATE raw.op_identities SET shapes = '[[[[', dtypes = '}{'"},
        {"deep shapes", "UPDATE raw.op_identities SET shapes = repeat('[', 100000)"},
        {"no layers of ops", "UPDATE raw.op_identities SET layer = -1"},
        {"all at one time",
         "UPDATE raw.ops SET begin_ns = 0, dur_ns = 0; UPDATE raw.device_spans SET begin_ns = 0, "
         "dur_ns = 0"},
        {"very far apart",
         "UPDATE raw.ops SET begin_ns = 4611686018427387903 WHERE id = (SELECT max(id) FROM raw.ops)"},
        {"very long", "UPDATE raw.ops SET dur_ns = 4611686018427387903, self_ns = 4611686018427387903"},
        {"long work", "UPDATE raw.device_spans SET dur_ns = 4611686018427387903"},
        {"ends before begins", "UPDATE raw.iterations SET end_ns = begin_ns - 1"},
        {"iterations at one time", "UPDATE raw.iterations SET begin_ns = 5, end_ns = 5"},
        {"all warm-up", "UPDATE raw.iterations SET warmup = true"},
        {"facts that are not numbers", "UPDATE raw.meta SET value = 'x' WHERE key <> 'schema_version'"},
        {"no facts", "DELETE FROM raw.meta WHERE key <> 'schema_version'"},
        {"facts twice", "INSERT INTO raw.meta FROM raw.meta WHERE key <> 'schema_version'"},
        {"huge facts", "UPDATE raw.meta SET value = '99999999999999999999999' WHERE key <> 'schema_version'"},
        {"a range that is none",
         "UPDATE raw.meta SET value = '-99' WHERE key IN ('iteration_start', 'iteration_stop')"},
        {"no ops", "DELETE FROM raw.ops"},
        {"no names", "DELETE FROM raw.strings"},
        {"no work", "DELETE FROM raw.device_spans"},
        {"no sums", "DELETE FROM raw.op_stats; DELETE FROM raw.op_work; DELETE FROM raw.work_stats"},
        {"other sums", "UPDATE raw.op_stats SET calls = -9223372036854775808, cpu_ns = 4611686018427387903"},
        {"no number",
         "UPDATE raw.ops SET share = 'nan'::DOUBLE; UPDATE raw.works SET flops = 'inf'::DOUBLE, bound_ns = "
         "'-inf'::DOUBLE"},
        {"kernels launched by nobody",
         "UPDATE raw.device_spans SET launch = 2147483647, op_span = 2147483647"},
    };
}

}  // namespace opsight::db
