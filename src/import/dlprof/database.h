// A database of DLProf (dlprof_dldb.sqlite, versions 1.2 to 1.8), opened: its dictionary of texts, and the
// parts that its readers share. Table by table and column by column as Report reads exports: what a version
// lacks is absent, and what points nowhere is a diagnostic.
//
// The tables read_only_* hold what was recorded and are read; those of aggregations hold sums of it, which
// Opsight works out anew, so only iterations, their range and findings are taken from them.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <string>
#include <vector>

#include "import/nsys/report.h"

namespace opsight::importer::dlprof {

using nsys::Columns;
using nsys::Report;
using nsys::Table;

// One row of read_only_ops.
struct OpFacts {
    StringId name, type;  // path of functions or scopes; the function or node type
    StringId module_path, stack, dtypes, payload;
    StringId input_letters, output_letters, parameter_letters;  // "N,C,H,W;K,C,R,S"
    bool backward = false;
    bool unassociated = false;  // a pseudo-op: API work outside of all ops
    StringId api;               // of a pseudo-op: the call that it is named after, as exported
};

// A call of a pseudo-op: an API call.
struct PseudoCall {
    int64_t op, thread, begin, dur;
    uint8_t flags;
};

class Database {
  public:
    explicit Database(Report& report) : report_(report) {}
    Status load_texts();

    Report& report() { return report_; }
    ProfileBuilder& builder() { return report_.builder(); }

    // The text of a column that holds a number of the dictionary, or the text itself; empty where it is NULL.
    // Lines stay apart; a line feed at the end is left out.
    StringId text(const Table& row, size_t column);
    // Versions name the columns of texts with and without "_id".
    StringId either(const Table& row, size_t first, size_t second);
    std::string_view view(const Table& row, size_t column) { return builder().view(text(row, column)); }

    // Process and thread of a row as Report packs them.
    static int64_t thread_id(const Table& row, size_t process, size_t thread);
    static int64_t process_id(int64_t thread) { return thread & ~int64_t{0xffffff}; }

    absl::flat_hash_map<int64_t, OpFacts> ops;  // by read_only_ops.id
    std::vector<PseudoCall> pseudo_calls;

    // Instances of ops, for what says that it was launched by one.
    void add_instance(int64_t op, int64_t thread, int64_t begin, int64_t end, int64_t id);
    int64_t instance_at(int64_t op, int64_t thread, int64_t time);  // its id; -1: none

  private:
    StringId lines(std::string_view text);

    struct Instance {
        int64_t begin, end, id;
        bool operator<(const Instance& other) const { return begin < other.begin; }
    };
    struct Instances {
        std::vector<Instance> list;
        bool sorted = true;
    };
    Report& report_;
    absl::flat_hash_map<int64_t, std::string> dictionary_;
    absl::flat_hash_map<std::pair<int64_t, int64_t>, Instances> instances_;  // by op and thread
};

Status read_system(
    Database& database);  // versions, machine, devices, findings; after work, which tells the processes
Status read_ops(Database& database);         // ops and their instances
Status read_work(Database& database);        // API calls, kernels, copies, sets, waits
Status read_iterations(Database& database);  // after all others

// "[[1,3],[6]]" -> "[[1, 3], [6]]", as shapes stand elsewhere; empty for "null". No value: no list of shapes.
std::optional<std::string> plain_shapes(std::string_view json);

}  // namespace opsight::importer::dlprof
