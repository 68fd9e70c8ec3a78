#include "cli/execution_traces.h"

#include "analyze/joined_ops.h"
#include "import/executiontrace/execution_trace.h"

namespace opsight::cli {
namespace {

constexpr const char* kRemedy =
    "give the file that ExecutionTraceObserver wrote in the run of the trace, while torch.profiler recorded "
    "it";

}  // namespace

Result<std::string> add_execution_traces(Profile& profile, const std::vector<std::string>& given,
                                         const std::vector<std::string>& found) {
    std::vector<ExecutionTrace> traces;
    if (!given.empty()) {
        OPSIGHT_ASSIGN(traces, importer::read_execution_traces(given));
    } else {
        for (const std::string& path : found) {
            Result<std::vector<ExecutionTrace>> read = importer::read_execution_traces({path});
            if (!read)
                profile.diagnostics.add(Diag::kSkippedFile, {path, -1, -1, read.error().what});
            else
                for (ExecutionTrace& trace : *read)
                    traces.push_back(std::move(trace));
        }
    }
    if (traces.empty()) return std::string();
    const analyze::JoinedOps joined = analyze::join_execution_traces(profile, traces);
    if (joined.joined() == 0 && !given.empty())
        return fail(Error{joined.summary(), given.front(), {}, kRemedy});
    if (joined.joined() == 0)
        profile.diagnostics.add(Diag::kSkippedFile, {found.front(), -1, -1, joined.summary()});
    profile.info.properties.emplace_back("execution_trace", joined.summary());
    return joined.summary();
}

}  // namespace opsight::cli
