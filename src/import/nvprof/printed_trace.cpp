#include <algorithm>
#include <charconv>

#include "base/time.h"
#include "import/nvprof/printed_parts.h"
#include "import/nvtx/spans.h"
#include "import/text/api_names.h"

namespace opsight::importer::nvprof {
namespace {

std::optional<int64_t> integer(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

CopyKind copy_kind(std::string_view name) {
    if (name == "PtoP") return CopyKind::kPeerToPeer;
    for (int8_t kind = 0; kind < static_cast<int8_t>(CopyKind::kCount); ++kind)
        if (copy_kind_name(static_cast<CopyKind>(kind)) == name) return static_cast<CopyKind>(kind);
    return CopyKind::kUnknown;
}

MemoryKind memory_kind(std::string_view name) {
    for (int8_t kind = 0; kind <= static_cast<int8_t>(MemoryKind::kUnknown); ++kind)
        if (!name.empty() && memory_kind_name(static_cast<MemoryKind>(kind)) == name)
            return static_cast<MemoryKind>(kind);
    return MemoryKind::kUnspecified;
}

// "(64 64 1)"
void read_sizes(std::string_view text, int64_t (&to)[3]) {
    int64_t sizes[3] = {1, 1, 1};
    size_t axis = 0;
    for (size_t at = 0; axis < 3; ++axis) {
        const size_t first = text.find_first_of("0123456789", at);
        if (first == text.npos) break;
        at = std::min(text.find_first_not_of("0123456789", first), text.size());
        const std::optional<int64_t> size = integer(text.substr(first, at - first));
        if (!size) return;
        sizes[axis] = *size;
    }
    if (axis > 0) std::copy(std::begin(sizes), std::end(sizes), std::begin(to));
}

constexpr std::string_view kCopy = "[CUDA memcpy ", kSet = "[CUDA memset", kManaged = "[Unified Memory",
                           kManagedCopy = "[Unified Memory Memcpy ", kRangeBegin = "[Range start] ",
                           kRangeEnd = "[Range end] ", kMark = "[Marker] ";

bool is_mark(std::string_view name) {
    return name.starts_with(kRangeBegin) || name.starts_with(kRangeEnd) || name.starts_with(kMark);
}

}  // namespace

DeviceId Printed::device(std::string_view name, int64_t context) {
    int64_t number = -1;
    const size_t bracket = name.rfind(" (");
    if (name.ends_with(')') && bracket != name.npos)
        if (const auto told = integer(name.substr(bracket + 2, name.size() - bracket - 3));
            told && *told >= 0) {
            number = *told;
            name = name.substr(0, bracket);
        }
    const auto [known, is_new] =
        devices.try_emplace(number >= 0 ? fmt::format("{}|{}", rank.index(), number)
                                        : fmt::format("{}|{}|{}", rank.index(), name, context),
                            DeviceId());
    if (is_new) {
        const int64_t before = devices_of_rank[rank]++;
        known->second = builder.device(rank, number >= 0 ? number : before);
        Device& facts = builder.device_info(known->second);
        facts.name = name;
        facts.declared = true;
    }
    return known->second;
}

int64_t count_of(const PrintedTable& table, const Row& row, Field field, int64_t otherwise) {
    const std::optional<int64_t> value = integer(table.of(row, field));
    return value && *value >= 0 ? *value : otherwise;
}

LaunchConfig config_of(const PrintedTable& table, const Row& row) {
    LaunchConfig config;
    read_sizes(table.of(row, Field::kGrid), config.grid);
    read_sizes(table.of(row, Field::kBlock), config.block);
    constexpr Field kGrid[] = {Field::kGridX, Field::kGridY, Field::kGridZ},
                    kBlock[] = {Field::kBlockX, Field::kBlockY, Field::kBlockZ};
    for (size_t axis = 0; axis < 3; ++axis) {
        if (table.has(kGrid[axis])) config.grid[axis] = count_of(table, row, kGrid[axis]);
        if (table.has(kBlock[axis])) config.block[axis] = count_of(table, row, kBlock[axis]);
    }
    config.registers_per_thread = count_of(table, row, Field::kRegisters);
    const auto bytes = [&](Field field) -> int64_t {
        const auto amount = amount_of(table, row, field);
        return amount ? bytes_of_copy(*amount, std::nullopt, -1) : -1;
    };
    config.static_shared_bytes = bytes(Field::kStatic);
    config.dynamic_shared_bytes = bytes(Field::kDynamic);
    return config;
}

int64_t take_correlation(std::string_view& name) {
    const size_t bracket = name.rfind(" [");
    if (!name.ends_with(']') || bracket == name.npos) return -1;
    const std::optional<int64_t> number = integer(name.substr(bracket + 2, name.size() - bracket - 3));
    if (!number) return -1;
    name = name.substr(0, bracket);
    return *number;
}

TrackId TraceRows::calls() {
    const TrackId track = p_.builder.host_track(p_.rank, p_.pid, 0);
    p_.builder.track(track).name = p_.text("calls of all threads");
    return track;
}

void TraceRows::add(const PrintedTable& table, const Row& row) {
    const std::optional<Amount> start = amount_of(table, row, Field::kStart);
    const int64_t begin = ns_of(start);
    if (begin < 0) return p_.note(Diag::kUnreadRow, "not a row of the table");
    const std::optional<Amount> took = amount_of(table, row, Field::kDuration);
    const int64_t ns = ns_of(took);
    std::string_view name = table.of(row, Field::kName);
    int64_t correlation = take_correlation(name);
    if (const int64_t told = count_of(table, row, Field::kCorrelation); told >= 0) correlation = told;
    if (is_mark(name)) return add_mark(name, begin);
    if (ns < 0) return p_.note(Diag::kUnreadRow, fmt::format("{} has no duration", name));
    const bool on_device = !table.of(row, Field::kDevice).empty() || !table.of(row, Field::kStream).empty();
    if (!on_device) return add_call(name, begin, ns, correlation);
    DeviceSpan span;
    span.begin = begin;
    span.dur = ns;
    span.correlation = correlation;
    span.name = p_.text(name);
    if (name.starts_with(kCopy) || name.starts_with(kSet) || name.starts_with(kManagedCopy))
        return add_transfer(table, row, span, name);
    if (name.starts_with(kManaged)) return p_.note(Diag::kUnreadRow, name);
    add_kernel(table, row, span);
}

// "cudaLaunchKernel (void k(float*) [112])"
void TraceRows::add_call(std::string_view name, int64_t begin, int64_t ns, int64_t correlation) {
    StringId kernel;
    if (const size_t bracket = name.find(" ("); name.ends_with(')') && bracket != name.npos) {
        std::string_view launched = name.substr(bracket + 2, name.size() - bracket - 3);
        if (const int64_t told = take_correlation(launched); told >= 0) {
            correlation = told;
            kernel = p_.text(launched);
            name = name.substr(0, bracket);
        }
    }
    HostSpan span;
    span.kind = is_driver_call(name) ? HostKind::kDriverApi : HostKind::kRuntimeApi;
    span.begin = begin;
    span.dur = ns;
    span.name = p_.text(name);
    span.track = calls();
    p_.builder.add_api(span, correlation, -1, kernel);
    ++events_;
}

void TraceRows::add_mark(std::string_view name, int64_t begin) {
    const bool ends = name.starts_with(kRangeEnd);
    const bool mark = name.starts_with(kMark);
    std::string_view text = name.substr(mark ? kMark.size() : ends ? kRangeEnd.size() : kRangeBegin.size());
    if (const size_t domain = text.rfind(" (Domain: "); domain != text.npos && text.ends_with(')'))
        text = text.substr(0, domain);
    ++events_;
    if (ends) {
        Range* const range = last_open(text.empty() ? open_[p_.pid] : open_named_[{p_.pid, p_.text(text)}]);
        if (range == nullptr) return p_.note(Diag::kEndWithoutBegin, name);
        range->open = false;
        if (begin < range->span.begin) p_.note(Diag::kNegativeDuration, name);
        range->span.dur = std::max<int64_t>(0, begin - range->span.begin);
        return;
    }
    Range range;
    range.span.begin = begin;
    range.span.track = calls();
    range.text = p_.text(text);
    range.mark = mark;
    if (!mark) {
        open_[p_.pid].push_back(ranges_.size());
        open_named_[{p_.pid, range.text}].push_back(ranges_.size());
    }
    ranges_.push_back(range);
}

// What an end closed by the other list is still in this one, and goes.
TraceRows::Range* TraceRows::last_open(std::vector<size_t>& places) {
    while (!places.empty()) {
        Range& range = ranges_[places.back()];
        places.pop_back();
        if (range.open) return &range;
    }
    return nullptr;
}

void TraceRows::add_kernel(const PrintedTable& table, const Row& row, DeviceSpan span) {
    span.kind = DeviceKind::kKernel;
    span.config = p_.builder.launch_config(config_of(table, row));
    add_work(table, row, span);
    if (table.own().empty()) return;
    const DeviceId device = p_.builder.track(stream_of(table, row)).device;
    const TrackId counters = p_.builder.other_track(p_.rank, p_.builder.view(span.name),
                                                    fmt::format("counters on device {}", device.index()));
    p_.builder.track(counters).device = device;
    for (const PrintedTable::Own& own : table.own())
        if (const auto amount = read_amount(row[own.place], table.unit_at(own.place)))
            p_.builder.add_counter(span.begin, counters,
                                   p_.text(own.name + std::string(unit_mark(amount->quantity))),
                                   amount->value);
}

void TraceRows::add_transfer(const PrintedTable& table, const Row& row, DeviceSpan span,
                             std::string_view what) {
    Transfer transfer;
    transfer.from = memory_kind(table.of(row, Field::kFrom));
    transfer.to = memory_kind(table.of(row, Field::kTo));
    std::optional<Amount> size = amount_of(table, row, Field::kSize);
    if (what.starts_with(kManagedCopy)) {
        const std::string_view way = what.substr(kManagedCopy.size());
        transfer.copy = way.starts_with("HtoD")   ? CopyKind::kUnifiedHostToDevice
                        : way.starts_with("DtoH") ? CopyKind::kUnifiedDeviceToHost
                                                  : CopyKind::kUnifiedDeviceToDevice;
        size = amount_of(table, row, Field::kUnified);
    } else if (what.starts_with(kCopy)) {
        std::string_view way = what.substr(kCopy.size());
        transfer.copy = copy_kind(way.substr(0, way.find_first_of(" ]")));
    } else {
        transfer.to = transfer.from == MemoryKind::kUnspecified ? transfer.to : transfer.from;
        transfer.from = MemoryKind::kUnspecified;
    }
    span.kind = what.starts_with(kSet) ? DeviceKind::kMemset : DeviceKind::kMemcpy;
    if (size) span.bytes = bytes_of_copy(*size, amount_of(table, row, Field::kRate), span.dur);
    span.transfer = p_.builder.transfer(transfer);
    span.name = p_.text(span.kind == DeviceKind::kMemset ? name_of_set(transfer) : name_of_copy(transfer));
    add_work(table, row, span);
}

TrackId TraceRows::stream_of(const PrintedTable& table, const Row& row) {
    const int64_t context = count_of(table, row, Field::kContext, 0);
    return p_.builder.stream_track(TrackKind::kDeviceStream,
                                   p_.device(table.of(row, Field::kDevice), context), context,
                                   count_of(table, row, Field::kStream, 0), p_.pid);
}

void TraceRows::add_work(const PrintedTable& table, const Row& row, DeviceSpan span) {
    span.track = stream_of(table, row);
    const double step =
        amount_of(table, row, Field::kStart)->step + amount_of(table, row, Field::kDuration)->step;
    int64_t& end = ends_[span.track];
    if (span.begin < end && static_cast<double>(end - span.begin) <= step) {
        span.begin = end;
        ++moved_;
    }
    end = std::max(end, span.begin + span.dur);
    p_.builder.add_device(span);
    ++events_;
}

void TraceRows::finish() {
    if (moved_ > 0)
        p_.note(Diag::kReplacedValue,
                "begins as printed, with a few digits, lie before the end of the work in front on their "
                "stream: they "
                "were moved to it",
                moved_);
    std::stable_sort(ranges_.begin(), ranges_.end(),
                     [](const Range& a, const Range& b) { return a.span.begin < b.span.begin; });
    nvtx::Spans spans(p_.builder);
    for (Range& range : ranges_) {
        if (range.open && !range.mark) {
            range.span.flags = kUnfinished;
            p_.note(Diag::kUnfinishedSpan, p_.builder.view(range.text));
        }
        NvtxAttributes attributes;
        attributes.type = range.mark ? NvtxType::kMark : NvtxType::kPushPop;
        spans.add(range.span, {}, range.text, marks::nvtx_domain({}), p_.builder.nvtx_attributes(attributes),
                  attributes.type);
    }
}

}  // namespace opsight::importer::nvprof
