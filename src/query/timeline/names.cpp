// Names and kinds of spans, for the timeline.
#include <unordered_map>

#include "analyze/results.h"
#include "query/session/cells.h"
#include "query/timeline/data.h"
#include "query/timeline/sql.h"

namespace opsight::query {
namespace {

template <class T>
void put(std::vector<T>& list, int64_t id, T value, T none) {
    if (id < 0) return;
    if (list.size() <= static_cast<size_t>(id)) list.resize(static_cast<size_t>(id) + 1, none);
    list[static_cast<size_t>(id)] = value;
}

SpanKind kind_of_direction(int64_t direction) {
    switch (static_cast<analyze::Direction>(direction)) {
        case analyze::Direction::kForward:
            return SpanKind::kOpForward;
        case analyze::Direction::kBackward:
            return SpanKind::kOpBackward;
        case analyze::Direction::kOptimizer:
            return SpanKind::kOpOptimizer;
        case analyze::Direction::kDataLoad:
            return SpanKind::kOpDataLoad;
        case analyze::Direction::kOther:
            break;
    }
    return SpanKind::kOpOther;
}

SpanKind kind_of_kernel(int64_t kernel_class, int64_t uses_tc) {
    using analyze::TensorCoreUse;
    if (static_cast<analyze::KernelClass>(kernel_class) == analyze::KernelClass::kCommunication)
        return SpanKind::kCommunicationKernel;
    switch (static_cast<TensorCoreUse>(uses_tc)) {
        case TensorCoreUse::kYes:
            return SpanKind::kTensorCoreKernel;
        case TensorCoreUse::kNo:
            return SpanKind::kKernel;
        case TensorCoreUse::kUnknown:
            break;
    }
    return SpanKind::kUnknownKernel;
}

}  // namespace

std::string_view span_kind_name(SpanKind kind) {
    constexpr std::string_view names[] = {"op_forward",
                                          "op_backward",
                                          "op_optimizer",
                                          "op_dataload",
                                          "op_other",
                                          "module",
                                          "runtime_api",
                                          "driver_api",
                                          "overhead",
                                          "dataload",
                                          "file_io",
                                          "other",
                                          "os_runtime",
                                          "message_passing",
                                          "library",
                                          "annotation",
                                          "python",
                                          "iteration",
                                          "kernel",
                                          "tensor_core_kernel",
                                          "kernel_unknown_tc",
                                          "communication_kernel",
                                          "memcpy",
                                          "memset",
                                          "device_annotation",
                                          "wait",
                                          "device_other",
                                          "graph"};
    static_assert(std::size(names) == static_cast<size_t>(SpanKind::kCount));
    return names[static_cast<size_t>(kind)];
}

Result<SpanNames> load_span_names(const Timeline::Data& data, TimelineNames& names) {
    SpanNames out;
    names.add("");
    std::unordered_map<std::string, uint32_t> known;
    const auto index_of = [&](const std::string& shown) {
        const auto [at, added] = known.try_emplace(shown, 0);
        if (added) at->second = names.add(shown);
        return at->second;
    };
    OPSIGHT_ASSIGN(const duck::Rows strings, data.query(timeline::sql::texts));
    for (const auto& row : strings.rows)
        put(out.of_string, integer(row[0]), index_of(text(row[1])), SpanNames::kNone);
    OPSIGHT_ASSIGN(const duck::Rows ops, data.query(timeline::sql::op_names));
    for (const auto& row : ops.rows) {
        put(out.of_op, integer(row[0]), index_of(text(row[1])), SpanNames::kNone);
        put(out.kind_of_op, integer(row[0]), kind_of_direction(integer(row[2])), SpanKind::kOpOther);
    }
    OPSIGHT_ASSIGN(const duck::Rows kernels, data.query(timeline::sql::kernel_names));
    for (const auto& row : kernels.rows) {
        const std::string whole = text(row[2]), shown = text(row[1]).empty() ? whole : text(row[1]);
        put(out.of_kernel, integer(row[0]), names.add(shown, whole == shown ? "" : whole), SpanNames::kNone);
        put(out.kind_of_kernel, integer(row[0]), kind_of_kernel(integer(row[3]), integer(row[4])),
            SpanKind::kUnknownKernel);
    }
    return out;
}

}  // namespace opsight::query
