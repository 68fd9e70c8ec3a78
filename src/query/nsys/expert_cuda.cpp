// Rules on calls of the CUDA API that hold the host up.
#include <fmt/format.h>

#include "query/nsys/expert.h"

namespace opsight::query::nsys {
namespace {

// Copies or sets with their launching call, longest first.
Result<Table> memory_operations(Source& source, const Thresholds& thresholds, bool sets,
                                const std::string& condition) {
    std::vector<Column> columns = {{"Duration", Kind::kTime}, {"Start", Kind::kTime}};
    if (sets) {
        columns.push_back({"Memory Kind", Kind::kText});
    } else {
        columns.push_back({"Src Kind", Kind::kText});
        columns.push_back({"Dst Kind", Kind::kText});
    }
    for (const Column& column : std::vector<Column>{{"Bytes", Kind::kMegabytes},
                                                    {"PID", Kind::kInteger},
                                                    {"Device ID", Kind::kInteger},
                                                    {"Context ID", Kind::kInteger},
                                                    {"Green Context ID", Kind::kInteger},
                                                    {"Stream ID", Kind::kInteger},
                                                    {"API Name", Kind::kText}})
        columns.push_back(column);
    return table_of(
        source, std::move(columns),
        fmt::format("SELECT m.dur_ns, {}, {}, CASE WHEN m.bytes >= 0 THEN m.bytes END, h.pid, d.number, "
                    "t.context, nullif(e.green_context, -1), t.stream, n.text FROM st_memop m "
                    "JOIN st_api a ON a.id = m.launch JOIN raw.strings n ON n.id = a.name "
                    "JOIN raw.tracks h ON h.id = a.track JOIN raw.tracks t ON t.id = m.track "
                    "LEFT JOIN raw.devices d ON d.id = t.device "
                    "LEFT JOIN raw.device_extras e ON e.id = m.rid WHERE m.kind = {} AND {} "
                    "ORDER BY m.dur_ns DESC, m.begin_ns, m.rid LIMIT {}",
                    source.shown("m.begin_ns"), sets ? "m.from_kind" : "m.from_kind, m.to_kind", sets ? 2 : 1,
                    condition, thresholds.rows));
}

Result<Table> memcpy_async(Source& source, const Thresholds& thresholds) {
    return memory_operations(source, thresholds, false,
                             "(n.text LIKE 'cudaMemcpy%Async%' OR n.text LIKE 'cuMemcpy%Async%') AND "
                             "(m.from_number = 0 OR m.to_number = 0)");
}

Result<Table> memcpy_sync(Source& source, const Thresholds& thresholds) {
    return memory_operations(
        source, thresholds, false,
        fmt::format("(n.text LIKE 'cudaMemcpy%' OR n.text LIKE 'cuMemcpy%') AND "
                    "n.text NOT LIKE '%Async%' AND NOT (m.copy_kind = 1 AND m.bytes <= {})",
                    thresholds.small_copy_bytes));
}

// Setting pinned or managed memory runs on the host's time; device memory is set without waiting.
Result<Table> memset_sync(Source& source, const Thresholds& thresholds) {
    return memory_operations(source, thresholds, true,
                             "(n.text LIKE 'cudaMemset%' OR n.text LIKE 'cuMemset%') AND "
                             "n.text NOT LIKE '%Async%' AND m.to_number IN (1, 4, 6)");
}

Result<Table> api_sync(Source& source, const Thresholds& thresholds) {
    return table_of(source,
                    {{"Duration", Kind::kTime},
                     {"Start", Kind::kTime},
                     {"PID", Kind::kInteger},
                     {"TID", Kind::kInteger},
                     {"API Name", Kind::kText}},
                    fmt::format("SELECT a.dur_ns, {}, t.pid, t.tid, n.text FROM st_api a "
                                "JOIN raw.strings n ON n.id = a.name JOIN raw.tracks t ON t.id = a.track "
                                "WHERE n.text IN ('cudaDeviceSynchronize', 'cudaStreamSynchronize', "
                                "'cudaThreadSynchronize', 'cuCtxSynchronize', 'cuStreamSynchronize', "
                                "'cudaStreamSynchronize_ptsz', 'cuStreamSynchronize_ptsz') "
                                "ORDER BY a.dur_ns DESC, a.begin_ns, a.id LIMIT {}",
                                source.shown("a.begin_ns"), thresholds.rows));
}

}  // namespace

std::vector<Rule> cuda_call_rules() {
    using Text = const Thresholds&;
    return {
        {"cuda_memcpy_async",
         "CUDA Async Memcpy with Pageable Memory",
         {},
         Data::kCopies,
         "CUDA memcpy APIs",
         "Asynchronous copies from or to pageable memory: they hold the host up like synchronous ones.",
         [](Text) -> std::string {
             return "These asynchronous copies use PAGEABLE memory, so the call returns only when the copy "
                    "is done.\n"
                    "\nSuggestion: allocate the host side as PINNED memory (pin_memory, cudaMallocHost).";
         },
         [](Text) -> std::string { return "No asynchronous copy uses pageable memory."; },
         memcpy_async},
        {"cuda_memcpy_sync",
         "CUDA Synchronous Memcpy",
         {"small"},
         Data::kCopies,
         "CUDA memcpy APIs",
         "Synchronous copies, which block the host; small ones to the device do not.",
         [](Text t) {
             return fmt::format(
                 "These synchronous copies block the host. Copies to the device of up to {} bytes are "
                 "left out.\n\nSuggestion: use the Async functions on a stream.",
                 t.small_copy_bytes);
         },
         [](Text) -> std::string { return "No synchronous copy blocks the host."; },
         memcpy_sync},
        {"cuda_memset_sync",
         "CUDA Synchronous Memset",
         {},
         Data::kSets,
         "CUDA memset APIs",
         "Synchronous sets of pinned or managed memory, which block the host.",
         [](Text) -> std::string {
             return "These synchronous sets of pinned or managed memory block the host.\n\nSuggestion: use "
                    "the Async "
                    "functions on a stream.";
         },
         [](Text) -> std::string { return "No synchronous memset blocks the host."; },
         memset_sync},
        {"cuda_api_sync",
         "CUDA Synchronization APIs",
         {},
         Data::kApi,
         "CUDA runtime APIs",
         "Calls that wait for all work of a device or a stream.",
         [](Text) -> std::string {
             return "These calls block the host until all the work issued before is done.\n\nSuggestions:\n  "
                    " 1. "
                    "Synchronize less often.\n   2. Order work with events (cudaStreamWaitEvent), which do "
                    "not "
                    "block the host.";
         },
         [](Text) -> std::string { return "No call blocks the host to synchronize."; },
         api_sync},
    };
}

}  // namespace opsight::query::nsys
