// An open export and what all of its tables need: texts by id, processes as ranks, tracks, times,
// diagnostics.
//
// Each process that used CUDA is a rank of its own (correlation ids, contexts and streams count within a
// process); all other processes count to the first rank. Global ids pack machine, process and thread: the
// lower 24 bits are the thread, the 24 above them the process.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <functional>
#include <span>
#include <string>

#include "base/progress.h"
#include "import/nsys/table.h"
#include "model/profile_builder.h"

namespace opsight::importer::nsys {

using Columns = std::vector<std::string_view>;

class Report {
  public:
    Report(sqlite::Database database, const std::vector<sqlite::Database::TableInfo>& tables,
           std::string file, ProfileBuilder& builder)
        : database_(std::move(database)), file_(std::move(file)), builder_(builder) {
        for (const auto& table : tables) {
            if (table.ordinary)
                tables_.insert(table.name);
            else
                views_.insert(table.name);
            if (table.has_rows) with_rows_.push_back(table.name);
        }
    }

    ProfileBuilder& builder() { return builder_; }
    const std::string& file() const { return file_; }

    bool has(std::string_view table) const { return tables_.contains(table); }
    const std::vector<std::string>& tables_with_rows() const { return with_rows_; }
    bool was_read(std::string_view table) const { return read_.contains(table); }

    // Calls row(table) for each row. A damaged table ends early, with a diagnostic. False: no such table.
    // `counted`: its rows are events.
    Result<bool> read(std::string_view name, const Columns& columns, const std::function<void(Table&)>& row,
                      bool counted = true, const std::optional<RowsWith>& only = {});
    // Texts by number, in place of those loaded before: of exports, or of another tool's tables.
    Status load_strings(std::string_view table = "StringIds", std::string_view column = "value");
    uint64_t events() const { return events_; }
    // Added to all times: ns since 1970 of the export's zero.
    void set_epoch(int64_t epoch_ns) { epoch_ns_ = epoch_ns; }
    // Called now and then while reading, with the bytes read so far.
    std::function<void(uint64_t)> on_progress;

    // The text of StringIds; where there is none, "(name lost)" and a diagnostic.
    StringId string(int64_t id);
    bool has_string(int64_t id) const { return strings_.contains(id); }  // whether there is one
    StringId intern(std::string_view text);                              // repaired where it is not clean

    // begin and dur from two columns; false, and a diagnostic, where they are not times. ended_times: false
    // too where the end is NULL, for how long a call or a kernel took is then not known. times: that leaves
    // the span unfinished, as a range is that was open when the recording ended.
    bool ended_times(const Table& table, size_t start, size_t end, int64_t& begin, int64_t& dur);
    bool times(const Table& table, size_t start, size_t end, int64_t& begin, int64_t& dur, uint8_t& flags);
    bool time(const Table& table, size_t column, int64_t& time);

    // A value that is NULL where the source should tell it, or impossible: says what was taken instead.
    void note_replaced(const Table& table, std::string_view what);

    // Ranks and tracks. `uses_cuda`: the process becomes a rank where it is none yet.
    RankId rank_of(int64_t global_id, bool uses_cuda);
    RankId any_rank();
    RankId rank_of_pid(int64_t pid);  // of a plain process id
    TrackId thread(int64_t global_tid, bool uses_cuda);
    // The same of a column; where it is NULL a thread of its own, number 0 of the first rank's process 0.
    TrackId thread(const Table& table, size_t column, bool uses_cuda);
    TrackId stream(int64_t global_pid, bool has_pid, int64_t device, int64_t context, int64_t stream);
    // The rank of rows whose process the export does not tell.
    RankId rank_without_pid();
    const absl::flat_hash_map<int64_t, RankId>& ranks() const { return ranks_; }
    const absl::flat_hash_map<int64_t, TrackId>& threads() const { return threads_; }

    static int64_t process_key(int64_t global_id) {
        return static_cast<int64_t>(static_cast<uint64_t>(global_id) >> 24);
    }
    static int64_t pid_of(int64_t global_id) { return process_key(global_id) & 0xffffff; }
    static int64_t tid_of(int64_t global_id) { return global_id & 0xffffff; }

    // Tables with rows that were not read, but for facts of which nothing is asked; a name that ends with '_'
    // is of all tables that begin so.
    void note_unread(std::span<const std::string_view> quiet);

    void note(Diag diag, std::string text);
    void set_host(std::string host) { host_ = std::move(host); }
    const std::string& host() const { return host_; }
    // A property of the profile. What is told twice stands as it was told first.
    void keep(std::string_view property, std::string_view text);

  private:
    void note_row(Diag diag, const Table& table, std::string_view what);
    RankId make_rank(int64_t key);

    sqlite::Database database_;
    TableNames tables_, views_, read_;
    std::vector<std::string> with_rows_;
    std::string file_, host_;
    ProfileBuilder& builder_;
    // Repaired and kept only where something refers to it: output and environment of programs are texts too.
    struct Text {
        std::string raw;
        StringId id;
    };
    absl::flat_hash_map<int64_t, Text> strings_;
    absl::flat_hash_map<int64_t, RankId> ranks_;  // by process key
    std::vector<RankId> ranks_in_order_;
    absl::flat_hash_map<int64_t, TrackId> threads_;  // by global id
    struct StreamKey {
        int64_t pid = -1, device = -1, context = -1, stream = -1;
        bool has_pid = false;
        friend bool operator==(const StreamKey&, const StreamKey&) = default;
    };
    StreamKey last_stream_;
    TrackId last_stream_track_;
    int64_t last_thread_ = -1;
    TrackId last_thread_track_;
    int64_t epoch_ns_ = 0;
    uint64_t events_ = 0;
};

}  // namespace opsight::importer::nsys
