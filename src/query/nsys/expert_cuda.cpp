// Rules on calls of the CUDA API that hold the host up.
#include <fmt/format.h>

#include "query/nsys/expert.h"
#include "query/nsys/sql.h"

namespace opsight::query::nsys {
namespace {

// Copies or sets with their launching call, longest first; `kinds` are the headers of the memory's kinds.
Result<ResultTable> memory_operations(Source& source, const Thresholds& thresholds, const duck::Sql& rows,
                                      const std::vector<std::string>& kinds) {
    OPSIGHT_TRY(source.execute(sql::memory_operations));
    std::vector<Column> columns = {headed::time("Duration"), headed::moment("Start")};
    for (const std::string& kind : kinds)
        columns.push_back(headed::text(kind));
    for (const Column& column : std::vector<Column>{
             headed::bytes("Bytes"), headed::id("PID"), headed::id("Device ID"), headed::id("Context ID"),
             headed::id("Green Context ID"), headed::id("Stream ID"), headed::text("API Name")})
        columns.push_back(column);
    return table_of(
        source, std::move(columns),
        duck::Statement(rows).set("rows", thresholds.rows).set("small_bytes", thresholds.small_copy_bytes));
}

Result<ResultTable> memcpy_async(Source& source, const Thresholds& thresholds) {
    return memory_operations(source, thresholds, sql::cuda_memcpy_async, {"Src Kind", "Dst Kind"});
}

Result<ResultTable> memcpy_sync(Source& source, const Thresholds& thresholds) {
    return memory_operations(source, thresholds, sql::cuda_memcpy_sync, {"Src Kind", "Dst Kind"});
}

Result<ResultTable> memset_sync(Source& source, const Thresholds& thresholds) {
    return memory_operations(source, thresholds, sql::cuda_memset_sync, {"Memory Kind"});
}

Result<ResultTable> api_sync(Source& source, const Thresholds& thresholds) {
    return table_of(source,
                    {headed::time("Duration"), headed::moment("Start"), headed::id("PID"), headed::id("TID"),
                     headed::text("API Name")},
                    duck::Statement(sql::cuda_api_sync).set("rows", thresholds.rows));
}

}  // namespace

std::vector<Rule> cuda_call_rules() {
    using Text = const Thresholds&;
    return {
        {{"cuda_memcpy_async",
          "Asynchronous copies from or to pageable memory: they hold the host up like synchronous ones.",
          "CUDA Async Memcpy with Pageable Memory"},
         {},
         Data::kCopies,
         "CUDA memcpy APIs",
         [](Text) -> std::string {
             return "These asynchronous copies use PAGEABLE memory, so the call returns only when the copy "
                    "is done.\n"
                    "\nSuggestion: allocate the host side as PINNED memory (pin_memory, cudaMallocHost).";
         },
         [](Text) -> std::string { return "No asynchronous copy uses pageable memory."; },
         memcpy_async},
        {{"cuda_memcpy_sync", "Synchronous copies, which block the host; small ones to the device do not.",
          "CUDA Synchronous Memcpy"},
         {"small"},
         Data::kCopies,
         "CUDA memcpy APIs",
         [](Text t) {
             return fmt::format(
                 "These synchronous copies block the host. Copies to the device of up to {} bytes are "
                 "left out.\n\nSuggestion: use the Async functions on a stream.",
                 t.small_copy_bytes);
         },
         [](Text) -> std::string { return "No synchronous copy blocks the host."; },
         memcpy_sync},
        {{"cuda_memset_sync", "Synchronous sets of pinned or managed memory, which block the host.",
          "CUDA Synchronous Memset"},
         {},
         Data::kSets,
         "CUDA memset APIs",
         [](Text) -> std::string {
             return "These synchronous sets of pinned or managed memory block the host.\n\nSuggestion: use "
                    "the Async "
                    "functions on a stream.";
         },
         [](Text) -> std::string { return "No synchronous memset blocks the host."; },
         memset_sync},
        {{"cuda_api_sync", "Calls that wait for all work of a device or a stream.",
          "CUDA Synchronization APIs"},
         {},
         Data::kApi,
         "CUDA runtime APIs",
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
