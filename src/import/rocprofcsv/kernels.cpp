// Kernels of a run, and what was counted of them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "import/rocprof/told.h"
#include "import/rocprofcsv/run.h"

namespace opsight::importer::rocprofcsv {
namespace {

std::optional<double> real_number(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
    return good ? std::optional(value) : std::nullopt;
}

}  // namespace

// "copy(float*) [clone .kd]", "copy(float*) (.kd)", "copy.kd": of the code object's symbol.
StringId Run::kernel_name(const Row& row) {
    std::string_view name = columns_->of(row, Field::kKernel);
    for (const std::string_view ending : {" [clone .kd]", " (.kd)", ".kd"})
        if (name.ends_with(ending)) name.remove_suffix(ending.size());
    return builder_.text(name.empty() ? "(name lost)" : name);
}

// Tables of counters, and those of rocprof 1 and 2, tell only how many threads there were in all.
LaunchConfig Run::config_of(const Row& row) const {
    constexpr Field kBlocks[] = {Field::kBlockX, Field::kBlockY, Field::kBlockZ};
    constexpr Field kGrids[] = {Field::kGridX, Field::kGridY, Field::kGridZ};
    LaunchConfig config;
    if (columns_->has(Field::kGridX)) {
        for (size_t axis = 0; axis < 3; ++axis) {
            config.block[axis] = columns_->number(row, kBlocks[axis]);
            config.grid[axis] = columns_->number(row, kGrids[axis]);
        }
    } else if (columns_->has(Field::kGrid)) {
        config.block[0] = columns_->number(row, Field::kBlock);
        config.grid[0] = columns_->number(row, Field::kGrid);
        for (size_t axis = 1; axis < 3; ++axis)
            config.block[axis] = config.grid[axis] = 1;
    }
    rocprof::count_blocks(config);
    config.static_shared_bytes = columns_->number(row, Field::kSharedBytes);
    config.local_bytes_per_thread = columns_->number(row, Field::kScratchBytes);
    config.registers_per_thread = columns_->number(row, Field::kRegisters);
    return config;
}

Run::Moment Run::add_kernel(const Row& row, DeviceSpan span, int64_t process) {
    const RankId rank = rank_of(columns_->table() == Table::kDispatches ? process : 0);
    const DeviceId device = device_of(rank, columns_->of(row, Field::kAgent));
    span.name = kernel_name(row);
    span.config = builder_.launch_config(config_of(row));
    span.correlation = columns_->number(row, Field::kCorrelation);
    if (columns_->is_of_v2() && span.correlation == 0) span.correlation = -1;  // of no call
    span.track =
        builder_.stream_track(TrackKind::kDeviceStream, device, columns_->number(row, Field::kQueue, 0),
                              columns_->number(row, Field::kStream, 0), process);
    builder_.add_device(span);
    return {span.begin, device, rank, span.name};
}

// A kernel whose time was not asked for is not one of 0 ns.
Run::Moment Run::add_moment(const Row& row, int64_t process) {
    DeviceSpan span;
    span.kind = DeviceKind::kOther;
    span.flags = kInstant;
    span.begin = clock_++;
    ++events_;
    return add_kernel(row, span, process);
}

void Run::take_kernel(const Row& row) {
    DeviceSpan span;
    if (!read_times(row, span)) return;
    span.kind = DeviceKind::kKernel;
    const int64_t dispatch = columns_->number(row, Field::kDispatch);
    const Moment moment = add_kernel(row, span, process_);
    if (dispatch >= 0) moments_.emplace(std::pair(int64_t{0}, dispatch), moment);
}

// The counters of a kernel are samples at the begin of its dispatches. A run that counted has the kernels'
// own table only where it was asked for.
void Run::take_counter(const Row& row) {
    const int64_t dispatch = columns_->number(row, Field::kDispatch);
    if (dispatch < 0) return note(Diag::kBadEvent, "a counter without a dispatch");
    const std::pair key(int64_t{0}, dispatch);
    auto known = moments_.find(key);
    if (known == moments_.end()) {
        DeviceSpan span;
        const int64_t process = std::max<int64_t>(0, columns_->number(row, Field::kProcess, 0));
        span.kind = DeviceKind::kKernel;
        if (!columns_->has(Field::kBegin) || !columns_->has(Field::kEnd))
            known = moments_.emplace(key, add_moment(row, process)).first;
        else if (read_times(row, span))
            known = moments_.emplace(key, add_kernel(row, span, process)).first;
        else
            return;
    }
    add_counter(known->second, builder_.view(kernel_name(row)), columns_->of(row, Field::kCounter),
                columns_->of(row, Field::kValue));
}

// rocprofv2 leaves times that it did not ask for as they lay in memory: its documentation shows kernels from
// 7 to 30064771072. No kernel begins in the first ms of a machine.
bool Run::is_timed(const Row& row) const {
    if (!columns_->has(Field::kBegin) || !columns_->has(Field::kEnd)) return false;
    constexpr int64_t kEarliest = 1'000'000;
    return !columns_->is_of_v2() || columns_->number(row, Field::kBegin) >= kEarliest;
}

void Run::take_dispatch(const Row& row) {
    DeviceSpan span;
    span.kind = DeviceKind::kKernel;
    const int64_t process = std::max<int64_t>(0, columns_->number(row, Field::kProcess, 0));
    // Counters of each part (XCC) of a GPU stand in rows of their own, which are of one dispatch.
    const std::string_view part = columns_->of(row, Field::kPart);
    const std::pair key(process, columns_->number(row, Field::kDispatch));
    auto known = part.empty() ? moments_.end() : moments_.find(key);
    if (known == moments_.end()) {
        if (!dispatches_timed_) dispatches_timed_ = is_timed(row);
        if (*dispatches_timed_ && !is_timed(row)) return note(Diag::kMissingEnd, "a kernel without times");
        if (*dispatches_timed_ && !read_times(row, span)) return;
        timed_dispatches_ |= *dispatches_timed_;
        dispatched_to_.emplace(columns_->of(row, Field::kAgent));
        const Moment moment = *dispatches_timed_ ? add_kernel(row, span, process) : add_moment(row, process);
        count(row, moment);
        if (!part.empty()) moments_.emplace(key, moment);
        return;
    }
    count(row, known->second);
}

void Run::count(const Row& row, const Moment& moment) {
    const std::string_view part = columns_->of(row, Field::kPart);
    for (const Columns::Own& own : columns_->own())
        add_counter(moment, builder_.view(kernel_name(row)),
                    part.empty() ? own.name : fmt::format("{} (XCC {})", own.name, part), row[own.place]);
}

void Run::add_counter(const Moment& moment, std::string_view kernel, std::string_view counter,
                      std::string_view value) {
    const std::optional<double> number = real_number(value);
    if (!number) return note(Diag::kUnreadRow, fmt::format("{} is '{}', no number", counter, value));
    const int64_t device = builder_.device_info(moment.device).number;
    const TrackId track =
        builder_.other_track(moment.rank, kernel, fmt::format("counters on device {}", device));
    builder_.track(track).device = moment.device;
    builder_.add_counter(moment.time, track, builder_.text(counter), *number);
}

}  // namespace opsight::importer::rocprofcsv
