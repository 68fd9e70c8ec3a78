#include "import/nsys/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "import/text/clean_text.h"

namespace opsight::importer::nsys {
namespace {

bool is_plain(std::string_view name) {
    return std::all_of(name.begin(), name.end(), [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    });
}

}  // namespace

Result<bool> Report::read(std::string_view name, const Columns& columns,
                          const std::function<void(Table&)>& row, bool counted,
                          const std::optional<RowsWith>& only) {
    OPSIGHT_ASSIGN(std::optional<Table> table, Table::open(database_, tables_, name, columns, only));
    if (!table && views_.contains(name) && read_.emplace(name).second)
        note(Diag::kTableIsView, std::string(name));
    if (!table) return false;
    read_.emplace(name);
    constexpr uint64_t kTold = 1 << 14;
    while (table->next()) {
        row(*table);
        if (counted && ++events_ % kTold == 0 && on_progress) on_progress(database_.bytes_read());
    }
    if (!table->problem().empty() && !only)  // part of a table is read beside the whole
        note(Diag::kTruncatedInput, fmt::format("table {}: {}", name, table->problem()));
    return true;
}

Status Report::load_strings(std::string_view table, std::string_view column) {
    strings_.clear();
    return read(
               table, {"id", column},
               [this](Table& row) {
                   strings_.try_emplace(row.number(0), Text{std::string(row.text(1)), {}});
               },
               false)
        .map([](bool) {});
}

StringId Report::string(int64_t id) {
    const auto found = strings_.find(id);
    if (found != strings_.end()) {
        Text& text = found->second;
        if (!text.id.valid()) {
            text.id = intern(text.raw);
            std::string().swap(text.raw);
        }
        return text.id;
    }
    note(Diag::kDanglingId, fmt::format("string {}", id));
    return builder_.text("(name lost)");
}

StringId Report::intern(std::string_view text) {
    if (is_clean(text)) return builder_.text(text);
    std::string repaired(text);
    clean_text(repaired);
    note(Diag::kUncleanText, repaired);
    return builder_.text(repaired);
}

bool Report::time(const Table& table, size_t column, int64_t& time) {
    const int64_t value = table.number(column, INT64_MIN);
    if (!table.is_integer(column) || value > kMaxNs / 2 || value < -kMaxNs / 2) {
        note_row(Diag::kBadTime, table, table.has(column) ? std::to_string(value) : std::string("no time"));
        return false;
    }
    time = value + epoch_ns_;
    return true;
}

bool Report::times(const Table& table, size_t start, size_t end, int64_t& begin, int64_t& dur,
                   uint8_t& flags) {
    if (!time(table, start, begin)) return false;
    dur = 0;
    if (!table.has(end)) {
        flags |= kUnfinished;
        note_row(Diag::kUnfinishedSpan, table, "no end");
        return true;
    }
    int64_t last = 0;
    if (!time(table, end, last)) return false;
    if (last < begin)
        note_row(Diag::kNegativeDuration, table, fmt::format("{} ns", last - begin));
    else
        dur = last - begin;
    return true;
}

bool Report::ended_times(const Table& table, size_t start, size_t end, int64_t& begin, int64_t& dur) {
    if (!table.has(end)) {
        note_row(Diag::kMissingEnd, table, "");
        return false;
    }
    uint8_t flags = 0;
    return times(table, start, end, begin, dur, flags);
}

void Report::note_replaced(const Table& table, std::string_view what) {
    note_row(Diag::kReplacedValue, table, what);
}

RankId Report::make_rank(int64_t key) {
    Rank rank;
    rank.source = file_;
    rank.host = host_;
    const RankId id = builder_.begin_rank(std::move(rank));
    ranks_.emplace(key, id);
    ranks_in_order_.push_back(id);
    return id;
}

RankId Report::rank_of(int64_t global_id, bool uses_cuda) {
    const int64_t key = process_key(global_id);
    const auto found = ranks_.find(key);
    if (found != ranks_.end()) return found->second;
    return uses_cuda || ranks_in_order_.empty() ? make_rank(key) : ranks_in_order_.front();
}

RankId Report::any_rank() {
    return ranks_in_order_.empty() ? make_rank(0) : ranks_in_order_.front();
}

RankId Report::rank_of_pid(int64_t pid) {
    for (const auto& [key, rank] : ranks_)
        if ((key & 0xffffff) == pid) return rank;
    return any_rank();
}

RankId Report::rank_without_pid() {
    if (ranks_in_order_.size() > 1) note(Diag::kDanglingId, "device work without a process");
    return any_rank();
}

TrackId Report::thread(int64_t global_tid, bool uses_cuda) {
    if (global_tid == last_thread_ && last_thread_track_.valid()) return last_thread_track_;
    auto [it, is_new] = threads_.try_emplace(global_tid);
    if (is_new) {
        const RankId rank = rank_of(global_tid, uses_cuda);
        it->second = builder_.host_track(rank, pid_of(global_tid), tid_of(global_tid));
    }
    last_thread_ = global_tid;
    return last_thread_track_ = it->second;
}

TrackId Report::thread(const Table& table, size_t column, bool uses_cuda) {
    if (table.has(column)) return thread(table.number(column), uses_cuda);
    note_replaced(table, "no thread: thread 0 of process 0 was taken");
    return thread(0, false);
}

TrackId Report::stream(int64_t global_pid, bool has_pid, int64_t device, int64_t context, int64_t stream) {
    constexpr int64_t kNoStream = 0xffffffff;
    const StreamKey key{global_pid, device, context, stream == kNoStream ? -1 : stream, has_pid};
    if (key == last_stream_ && last_stream_track_.valid()) return last_stream_track_;
    const RankId rank = has_pid ? rank_of(global_pid, true) : rank_without_pid();
    const TrackId track =
        builder_.stream_track(TrackKind::kDeviceStream, builder_.device(rank, device), context, key.stream);
    if (has_pid) builder_.track(track).pid = pid_of(global_pid);
    last_stream_ = key;
    return last_stream_track_ = track;
}

void Report::note_unread(std::span<const std::string_view> quiet) {
    for (const std::string& table : with_rows_) {
        const bool is_quiet = std::any_of(quiet.begin(), quiet.end(), [&](std::string_view name) {
            return name.ends_with('_') ? table.starts_with(name) : table == name;
        });
        if (is_quiet || was_read(table) || table.starts_with("sqlite_")) continue;
        int64_t rows = 0;
        // Names of the file's own are not put into a statement where they could be more than a name.
        if (is_plain(table)) {
            const Result<bool> counted = read(
                table, {}, [&](Table&) { ++rows; }, false);
            if (!counted) rows = -1;
        } else {
            rows = -1;
        }
        std::string name(builder_.view(intern(table.substr(0, 100))));
        note(Diag::kUnreadTable, rows < 0 ? name : fmt::format("{}: {} rows", name, rows));
        builder_.info().unread_tables.emplace_back(std::move(name), rows);
    }
}

void Report::note(Diag diag, std::string text) {
    Diagnostics& diagnostics = builder_.diagnostics();
    diagnostics.add(diag, diagnostics.wants_place(diag) ? DiagOccurrence{file_, -1, -1, std::move(text)}
                                                        : DiagOccurrence{});
}

void Report::keep(std::string_view property, std::string_view text) {
    auto& list = builder_.info().properties;
    const bool known =
        std::any_of(list.begin(), list.end(), [&](const auto& entry) { return entry.first == property; });
    if (!known && !text.empty()) list.emplace_back(property, text);
}

void Report::note_row(Diag diag, const Table& table, std::string_view what) {
    note(diag, !builder_.diagnostics().wants_place(diag) ? std::string()
               : what.empty()                            ? std::string(table.name())
                                                         : fmt::format("{}: {}", table.name(), what));
}

}  // namespace opsight::importer::nsys
