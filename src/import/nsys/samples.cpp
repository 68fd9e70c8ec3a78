// What threads ran: samples of CPUs with their call chains.
#include <algorithm>

#include "import/nsys/call_chains.h"
#include "import/nsys/readers.h"

namespace opsight::importer::nsys {

Status read_samples(Report& report) {
    if (!report.has("COMPOSITE_EVENTS")) return {};
    CallChains chains(report);
    OPSIGHT_TRY(chains.load("SAMPLING_CALLCHAINS"));
    const auto take = [&](Table& row) {
        int64_t time = 0;
        if (!report.time(row, 1, time)) return;
        StringId stack = chains.find(row.number(0));
        if (!stack.valid()) stack = report.builder().text("(no call chain)");
        const auto cpu = static_cast<int32_t>(std::clamp<int64_t>(row.number(2), -1, INT32_MAX));
        report.builder().add_sample(time, report.thread(row, 3, false), cpu, stack);
    };
    return report.read("COMPOSITE_EVENTS", {"id", "start", "cpu", "globalTid"}, take).map([](bool) {});
}

}  // namespace opsight::importer::nsys
