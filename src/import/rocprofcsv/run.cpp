#include "import/rocprofcsv/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/time.h"
#include "import/reader/rank_hint.h"
#include "import/rocprof/told.h"
#include "import/rocprofcsv/files.h"
#include "import/text/csv_rows.h"
#include "model/source_limits.h"

namespace opsight::importer::rocprofcsv {

Result<uint64_t> Run::read(PeekedSource& source, const std::string& file) {
    file_ = file;
    CsvRows rows(source);
    Row row;
    OPSIGHT_TRY(rows.next(row));
    const Columns columns(row);
    columns_ = &columns;
    unused_ = repeated_ = 0;
    dispatches_timed_.reset();
    for (;;) {
        OPSIGHT_ASSIGN(const bool any, rows.next(row));
        if (!any) break;
        line_ = rows.line();
        if (row.size() == 1 && row[0].find_first_not_of(" \t") == std::string::npos) continue;
        if (rows.is_cut() || rows.ends_inside()) {
            note(Diag::kTruncatedInput, "the last row has no line end, so it may be cut");
            break;
        }
        if (row.size() < columns.size())
            note(Diag::kBadEvent, fmt::format("{} fields, of {}", row.size(), columns.size()));
        else if (is_one_process(row))
            take(row);
        else
            return fail("holds the rows of several processes", file, fmt::format("line {}", line_),
                        "give the database of rocprofv3 that the table was made of");
    }
    if (std::string damage = source.damage(); !damage.empty()) note(Diag::kTruncatedInput, damage);
    settle_table(file);
    columns_ = nullptr;
    return rows.bytes();
}

void Run::settle_table(const std::string& file) {
    settle_messages();
    if (unused_ > 0) {
        builder_.info().unread_tables.emplace_back(name_of_table(file), static_cast<int64_t>(unused_));
        note(Diag::kUnreadTable, name_of_table(file));
    }
    if (repeated_ > 0) {
        const std::string what =
            name_of_table(file) + ": work that other tables of the run tell, or whose GPU is not told";
        builder_.info().unread_tables.emplace_back(what, static_cast<int64_t>(repeated_));
        note(Diag::kUnreadTable, what);
    }
}

void Run::finish() {
    roctx_.finish(builder_);
    for (const Agent& agent : agents_)
        for (const auto& [process, rank] : ranks_)
            if (agent.is_gpu) device_of(rank, fmt::format("GPU {}", agent.number));
    if (events_ > 0 && !has_times_) {
        set_durations_only(builder_.info());
        set_device_only(
            builder_.info(),
            "the source has counters of kernels, and no times: each kernel is shown as one moment with "
            "its counters");
    }
}

void Run::take(const Row& row) {
    switch (columns_->table()) {
        case Table::kAgents:
            return take_agent(row);
        case Table::kCalls:
            return take_call(row);
        case Table::kCopies:
            return take_copy(row);
        case Table::kKernels:
            return take_kernel(row);
        case Table::kCounters:
            return take_counter(row);
        case Table::kDispatches:
            return take_dispatch(row);
        case Table::kOps:
            return take_op(row);
        case Table::kMessages:
            return take_message(row);
        case Table::kUnused:
        case Table::kNone:
            ++unused_;
    }
}

// What `rocpd2csv` makes of a merged database has several, whose ids are the same.
bool Run::is_one_process(const Row& row) {
    const std::string_view guid = columns_->of(row, Field::kGuid);
    if (guid_.empty()) guid_ = guid;
    return guid.empty() || guid == guid_;
}

// Tables of calls do not tell the process that kernels of the same run name: the first one's is the rank.
RankId Run::rank_of(int64_t process) {
    if (ranks_.size() == 1 && ranks_.begin()->first == 0 && process != 0)
        return ranks_[process] = ranks_.begin()->second;
    const auto [known, is_new] = ranks_.try_emplace(process);
    if (!is_new) return known->second;
    Rank rank;
    rank.number = std::max<int64_t>(0, rank_hint(name_));
    rank.source = name_;
    return known->second = builder_.begin_rank(rank);
}

// ---- agents ----------------------------------------------------------------------------------------------

void Run::take_agent(const Row& row) {
    constexpr size_t kMost = 4096;  // each row of the other tables looks for its own
    if (agents_.size() >= kMost) return note(Diag::kBadEvent, fmt::format("more than {} agents", kMost));
    Agent agent;
    agent.node = columns_->number(row, Field::kNode);
    agent.logical = columns_->number(row, Field::kLogicalNode);
    agent.is_gpu = columns_->of(row, Field::kType) == "GPU";
    agent.number =
        std::count_if(agents_.begin(), agents_.end(), [](const Agent& each) { return each.is_gpu; });
    agent.chip = columns_->of(row, Field::kName);
    agent.name = columns_->of(row, Field::kProduct);
    if (agent.name.empty()) agent.name = agent.chip;
    agent.compute_units = std::max<int64_t>(0, columns_->number(row, Field::kComputeUnits));
    agent.wave = std::max<int64_t>(0, columns_->number(row, Field::kWave));
    agent.gfx_version = std::clamp<int64_t>(columns_->number(row, Field::kGfxVersion), 0, 9999999);
    agent.clock_mhz = std::clamp<int64_t>(columns_->number(row, Field::kClock), 0, 1000000);
    agents_.push_back(std::move(agent));
}

// "GPU 3" is the fourth GPU; "Agent 7" the agent of that logical number, or of that node where the run was
// asked for those (--agent-index=absolute); 7, of early versions, a node.
const Run::Agent* Run::agent_of(std::string_view label) const {
    const size_t space = label.find(' ');
    const std::string_view word = label.substr(0, space == label.npos ? 0 : space);
    const int64_t number = whole_number(space == label.npos ? label : label.substr(space + 1)).value_or(-1);
    const auto find = [&](auto of, bool gpu) -> const Agent* {
        for (const Agent& agent : agents_)
            if (of(agent) == number && (!gpu || agent.is_gpu)) return &agent;
        return nullptr;
    };
    const auto node = [](const Agent& agent) { return agent.node; };
    const auto logical = [](const Agent& agent) { return agent.logical; };
    if (word == "GPU") return find([](const Agent& agent) { return agent.number; }, true);
    if (word == "CPU") return nullptr;
    if (word.empty())
        if (const Agent* agent = find(node, true)) return agent;
    if (const Agent* agent = find(logical, true)) return agent;
    if (const Agent* agent = find(node, true)) return agent;
    return find(logical, false);
}

// Where nothing tells of the agents, the number in the label.
int64_t Run::number_of(std::string_view label, bool& is_gpu) {
    const size_t space = label.find(' ');
    const Agent* agent = agent_of(label);
    is_gpu = agent ? agent->is_gpu : !label.starts_with("CPU");
    if (agent) return agent->number;
    return std::max<int64_t>(0,
                             whole_number(space == label.npos ? label : label.substr(space + 1)).value_or(0));
}

DeviceId Run::device_of(RankId rank, std::string_view label) {
    bool is_gpu = false;
    const DeviceId id = builder_.device(rank, number_of(label, is_gpu));
    Device& device = builder_.device_info(id);
    const Agent* agent = agent_of(label);
    if (device.declared || !agent || !agent->is_gpu) return id;
    device.declared = true;
    device.name = agent->name;
    device.chip = agent->chip;
    device.sm_count = agent->compute_units;
    device.warp_size = agent->wave;
    device.compute_major = static_cast<int>(agent->gfx_version / 10000);
    device.compute_minor = static_cast<int>(agent->gfx_version / 100 % 100);
    device.clock_hz = agent->clock_mhz * 1000000;
    return id;
}

// ---- calls and ranges ------------------------------------------------------------------------------------

template <class Span>
bool Run::read_times(const Row& row, Span& span) {
    const int64_t begin = columns_->number(row, Field::kBegin), end = columns_->number(row, Field::kEnd);
    if (begin < 0 || end < 0 || begin > kMaxNs / 2 || end > kMaxNs / 2) {
        note(Diag::kBadTime,
             fmt::format("{} to {}", columns_->of(row, Field::kBegin), columns_->of(row, Field::kEnd)));
        return false;
    }
    if (begin == 0 && end == 0) {  // what could not be timed
        note(Diag::kMissingEnd, "a row without times");
        return false;
    }
    if (end < begin) note(Diag::kNegativeDuration, fmt::format("{} ns", end - begin));
    span.begin = begin;
    span.dur = std::max<int64_t>(0, end - begin);
    has_times_ = true;
    ++events_;
    return true;
}

void Run::take_call(const Row& row) {
    HostSpan span;
    if (!read_times(row, span)) return;
    const std::string_view domain = columns_->of(row, Field::kDomain);
    const int64_t process = std::max<int64_t>(0, columns_->number(row, Field::kProcess, 0));
    if (process_ == 0) process_ = process;
    span.track = builder_.host_track(rank_of(0), process, columns_->number(row, Field::kThread, 0));
    span.name = builder_.text(columns_->of(row, Field::kFunction));
    if (domain.starts_with("HIP_") || domain.starts_with("HSA_")) {
        span.kind = domain.starts_with("HIP_") ? HostKind::kRuntimeApi : HostKind::kDriverApi;
        return builder_.add_api(span, columns_->number(row, Field::kCorrelation));
    }
    if (domain.starts_with("MARKER_CORE")) return roctx_.add(span, span.name);
    span.kind = HostKind::kLibrary;
    builder_.add_host(span, builder_.text(domain.substr(0, domain.find('_'))).value);
}

// ---- copies ----------------------------------------------------------------------------------------------

void Run::take_copy(const Row& row) {
    DeviceSpan span;
    if (!read_times(row, span)) return;
    const RankId rank = rank_of(0);
    const std::string_view from = columns_->of(row, Field::kSource),
                           to = columns_->of(row, Field::kDestination);
    bool from_gpu = false, to_gpu = false;
    const int64_t from_number = number_of(from, from_gpu), to_number = number_of(to, to_gpu);
    Transfer transfer;
    transfer.copy = rocprof::copy_kind(columns_->of(row, Field::kDirection));
    if (transfer.copy == CopyKind::kHostToDevice) from_gpu = false;
    if (transfer.copy == CopyKind::kDeviceToHost) to_gpu = false;
    if (from_gpu) transfer.from_device = from_number;
    if (to_gpu) transfer.to_device = to_number;
    span.kind = DeviceKind::kMemcpy;
    span.transfer = builder_.transfer(transfer);
    span.name = builder_.text(name_of_copy(transfer));
    span.correlation = columns_->number(row, Field::kCorrelation);
    span.track = builder_.stream_track(TrackKind::kDeviceStream, device_of(rank, to_gpu ? to : from), 0,
                                       columns_->number(row, Field::kStream, 0), process_);
    builder_.add_device(span);
}

void Run::note(Diag diag, std::string_view text) {
    builder_.diagnostics().add(diag, {file_, -1, -1, fmt::format("line {}: {}", line_, text)});
}

}  // namespace opsight::importer::rocprofcsv
