#include "import/nsys/call_chains.h"

#include <fmt/format.h>

#include <algorithm>

namespace opsight::importer::nsys {
namespace {

constexpr size_t kMostFrames = 256, kLongestName = 200;

}  // namespace

Status CallChains::load(std::string_view table) {
    return report_
        .read(
            table, {"id", "symbol", "module", "unresolved", "stackDepth"}, [this](Table& row) { take(row); },
            false)
        .map([](bool) {});
}

void CallChains::take(Table& row) {
    std::vector<Frame>& chain = chains_[row.number(0)];
    if (chain.size() < kMostFrames) {
        const bool unresolved = row.number(3, 0) > 0;
        chain.push_back({row.number(4, 0), unresolved ? module_of(row.number(2)) : name_of(row.number(1))});
    } else if (chain.size() == kMostFrames) {
        chain.push_back({INT64_MAX, report_.builder().text("...")});
        report_.note(Diag::kUnreadRow, fmt::format("frames of a call chain after the first {}", kMostFrames));
    }
}

StringId CallChains::name_of(int64_t symbol) {
    const auto [it, is_new] = names_.try_emplace(symbol);
    if (is_new) {
        std::string name(report_.builder().view(report_.string(symbol)).substr(0, kLongestName));
        std::replace(name.begin(), name.end(), '\n', ' ');
        it->second = report_.intern(name);
    }
    return it->second;
}

// A function without a symbol is told by the file of its code.
StringId CallChains::module_of(int64_t module) {
    const auto [it, is_new] = modules_.try_emplace(module);
    if (is_new) {
        const std::string_view path = report_.builder().view(name_of(module));
        it->second = report_.builder().text(fmt::format("[{}]", path.substr(path.rfind('/') + 1)));
    }
    return it->second;
}

StringId CallChains::find(int64_t number) {
    const auto [it, is_new] = texts_.try_emplace(number);
    const auto found = is_new ? chains_.find(number) : chains_.end();
    if (found == chains_.end()) return it->second;
    std::vector<Frame>& chain = found->second;
    std::stable_sort(chain.begin(), chain.end(),
                     [](const Frame& a, const Frame& b) { return a.depth < b.depth; });
    std::string text;
    for (const Frame& frame : chain) {
        if (!text.empty()) text += '\n';
        text += report_.builder().view(frame.name);
    }
    return it->second = report_.builder().text(text);
}

}  // namespace opsight::importer::nsys
