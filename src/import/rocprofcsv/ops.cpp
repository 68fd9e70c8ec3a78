// What rocprofv2 tells of work on devices and of roctx, in tables of their own: without device, queue and
// thread.
#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "import/rocprof/commands.h"
#include "import/rocprofcsv/run.h"

namespace opsight::importer::rocprofcsv {
namespace {

constexpr const char* kDevices = "rocprofv2.devices";
constexpr const char* kRanges = "rocprofv2.ranges";

}  // namespace

// Kernels stand in results.csv, too, and copies of HIP among those of HSA.
bool Run::is_told_elsewhere(DeviceKind kind, bool by_hsa) {
    if (kind == DeviceKind::kMemcpy && by_hsa) ++copies_of_hsa_;
    if (kind == DeviceKind::kKernel) return timed_dispatches_;
    return kind == DeviceKind::kMemcpy && !by_hsa && copies_of_hsa_ > 0;
}

void Run::take_op(const Row& row) {
    DeviceSpan span;
    const std::string_view operation = columns_->of(row, Field::kOperation);
    const bool by_hsa = columns_->of(row, Field::kDomain).starts_with("HSA");
    const bool is_named = !columns_->of(row, Field::kKernel).empty();
    span.kind = is_named ? DeviceKind::kKernel : rocprof::kind_of_command(operation, by_hsa);
    // Of several GPUs it may be any.
    if (is_told_elsewhere(span.kind, by_hsa) || dispatched_to_.size() > 1) {
        ++repeated_;
        return;
    }
    if (!read_times(row, span)) return;
    if (dispatched_to_.empty())
        rocprof::say_once(builder_.info(), kDevices,
                          "the tables of operations do not tell on which GPU they ran: all stand on device "
                          "0, in one stream");
    Transfer transfer;
    span.name = is_named ? kernel_name(row) : builder_.text(operation);
    if (span.kind == DeviceKind::kMemcpy) {
        transfer.copy = rocprof::copy_of_command(operation);
        span.name = builder_.text(name_of_copy(transfer));
    }
    if (span.kind == DeviceKind::kMemset) span.name = builder_.text(name_of_set(transfer));
    if (span.kind == DeviceKind::kMemcpy || span.kind == DeviceKind::kMemset)
        span.transfer = builder_.transfer(transfer);
    // 0: of no call.
    if (const int64_t id = columns_->number(row, Field::kCorrelation); id > 0) span.correlation = id;
    const DeviceId device =
        device_of(rank_of(0), dispatched_to_.empty() ? std::string_view("0") : *dispatched_to_.begin());
    span.track = builder_.stream_track(TrackKind::kDeviceStream, device, 0, 0, process_);
    builder_.add_device(span);
}

void Run::take_message(const Row& row) {
    const int64_t time = columns_->number(row, Field::kBegin);
    if (time < 0 || time > kMaxNs / 2) return note(Diag::kBadTime, columns_->of(row, Field::kBegin));
    const std::string_view text = columns_->of(row, Field::kMessage);
    messages_.push_back({time, std::max<int64_t>(0, columns_->number(row, Field::kRange, 0)),
                         text.empty() ? StringId() : builder_.text(text)});
    has_times_ = true;
    ++events_;
}

void Run::add_range(int64_t begin, int64_t end, StringId text) {
    HostSpan span;
    span.begin = begin;
    span.dur = end - begin;
    span.track = builder_.host_track(rank_of(0), process_, 0);
    roctx_.add(span, text);
}

// Ranges that were started have an id. Those that were pushed have none, nor a thread, and marks look as they
// do: they are paired where each push has its pop, else what was said is a moment.
void Run::settle_messages() {
    std::stable_sort(messages_.begin(), messages_.end(),
                     [](const Message& a, const Message& b) { return a.time < b.time; });
    int64_t depth = 0, pops = 0;
    bool balanced = true;
    for (const Message& message : messages_) {
        if (message.range > 0) continue;
        depth += message.text.valid() ? 1 : -1;
        pops += !message.text.valid();
        balanced &= depth >= 0;
    }
    balanced &= depth == 0;
    if (balanced && pops > 0)
        rocprof::say_once(
            builder_.info(), kRanges,
            "the table of roctx tells no threads: the ends of pushed ranges are those of one thread");
    std::map<int64_t, Message> started;  // in an order that is always the same
    std::vector<Message> pushed;
    for (const Message& message : messages_) {
        const bool is_end = !message.text.valid();
        if (message.range > 0 && !is_end) {
            started.insert_or_assign(message.range, message);
        } else if (message.range > 0) {
            const auto from = started.find(message.range);
            if (from == started.end()) {
                note(Diag::kDanglingId, fmt::format("the end of range {}", message.range));
                continue;
            }
            add_range(from->second.time, message.time, from->second.text);
            started.erase(from);
        } else if (!balanced || pops == 0) {
            if (is_end)
                note(Diag::kUnreadRow, "the end of a range that cannot be told");
            else
                add_range(message.time, message.time, message.text);
        } else if (!is_end) {
            pushed.push_back(message);
        } else {
            add_range(pushed.back().time, message.time, pushed.back().text);
            pushed.pop_back();
        }
    }
    for (const auto& [range, message] : started) {
        note(Diag::kMissingEnd, fmt::format("range {}", range));
        add_range(message.time, message.time, message.text);
    }
    messages_.clear();
}

}  // namespace opsight::importer::rocprofcsv
