#include "exports/stacks/folded.h"

#include <fmt/format.h>

#include <iterator>

#include "exports/format/output.h"
#include "exports/stacks/stacks.h"

namespace opsight::exports {
namespace {

// A semicolon ends a frame, and a line its stack.
std::string one_frame(std::string_view name) {
    std::string frame(name);
    for (char& c : frame)
        c = c == ';' ? ':' : static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    return frame;
}

Result<std::string> write(const Job& job) {
    OPSIGHT_ASSIGN(const Stacks stacks, read_stacks(job));
    OPSIGHT_ASSIGN(Output output, Output::create(job));
    std::vector<std::string> frames;
    for (const std::string& name : stacks.frames)
        frames.push_back(one_frame(name));
    size_t lines = 0;
    for (size_t i = 0; i < stacks.nodes.size(); ++i) {
        const StackNode& node = stacks.nodes[i];
        std::string stack;
        for (const int32_t frame : stacks.path_of(i))
            stack += ";" + frames[static_cast<size_t>(frame)];
        for (const auto& [root, ns] : {std::pair("CPU", node.cpu_ns), std::pair("Device", node.device_ns)}) {
            if (ns <= 0) continue;
            fmt::format_to(std::back_inserter(output.buffer()), "{}{} {}\n", root, stack, ns);
            ++lines;
        }
        OPSIGHT_TRY(output.flush_some());
    }
    OPSIGHT_TRY(output.finish());
    return fmt::format("{} stacks", lines);
}

}  // namespace

Format folded_format() {
    return {"folded",
            ".folded",
            "stacks of layers, ops and kernels in ns, for flamegraph.pl and what reads its lines",
            false,
            true,
            write};
}

}  // namespace opsight::exports
