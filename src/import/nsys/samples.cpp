// What threads ran: samples of CPUs with their call chains.
#include <fmt/format.h>

#include <algorithm>

#include "import/nsys/readers.h"

namespace opsight::nsys {
namespace {

constexpr size_t kMostFrames = 256, kLongestName = 200;

class Samples {
  public:
    explicit Samples(Report& report) : report_(report) {}

    Status run() {
        if (!report_.has("COMPOSITE_EVENTS")) return {};
        OPSIGHT_TRY(report_.read(
            "SAMPLING_CALLCHAINS", {"id", "symbol", "module", "unresolved", "stackDepth"},
            [this](Table& row) { take_frame(row); }, false));
        return report_
            .read("COMPOSITE_EVENTS", {"id", "start", "cpu", "globalTid"},
                  [this](Table& row) { take_sample(row); })
            .map([](bool) {});
    }

  private:
    struct Frame {
        int64_t depth;
        StringId name;
    };

    void take_frame(Table& row) {
        std::vector<Frame>& chain = chains_[row.number(0)];
        if (chain.size() < kMostFrames) {
            const bool unresolved = row.number(3, 0) > 0;
            chain.push_back(
                {row.number(4, 0), unresolved ? module_of(row.number(2)) : name_of(row.number(1))});
        } else if (chain.size() == kMostFrames) {
            chain.push_back({INT64_MAX, report_.builder().text("...")});
            report_.note(Diag::kUnreadRow,
                         fmt::format("frames of a call chain after the first {}", kMostFrames));
        }
    }

    StringId name_of(int64_t symbol) {
        const auto [it, is_new] = names_.try_emplace(symbol);
        if (is_new) {
            std::string name(report_.builder().view(report_.string(symbol)).substr(0, kLongestName));
            std::replace(name.begin(), name.end(), '\n', ' ');
            it->second = report_.intern(name);
        }
        return it->second;
    }

    // A function without a symbol is told by the file of its code.
    StringId module_of(int64_t module) {
        const auto [it, is_new] = modules_.try_emplace(module);
        if (is_new) {
            const std::string_view path = report_.builder().view(name_of(module));
            it->second = report_.builder().text(fmt::format("[{}]", path.substr(path.rfind('/') + 1)));
        }
        return it->second;
    }

    void take_sample(Table& row) {
        int64_t time = 0;
        if (!report_.time(row, 1, time)) return;
        const auto chain = chains_.find(row.number(0));
        const StringId stack =
            chain == chains_.end() ? report_.builder().text("(no call chain)") : stack_of(chain->second);
        const auto cpu = static_cast<int32_t>(std::clamp<int64_t>(row.number(2), -1, INT32_MAX));
        report_.builder().add_sample(time, report_.thread(row, 3, false), cpu, stack);
    }

    StringId stack_of(std::vector<Frame>& chain) {
        std::stable_sort(chain.begin(), chain.end(),
                         [](const Frame& a, const Frame& b) { return a.depth < b.depth; });
        std::string text;
        for (const Frame& frame : chain) {
            if (!text.empty()) text += '\n';
            text += report_.builder().view(frame.name);
        }
        return report_.builder().text(text);
    }

    Report& report_;
    absl::flat_hash_map<int64_t, std::vector<Frame>> chains_;
    absl::flat_hash_map<int64_t, StringId> names_, modules_;  // by id in StringIds
};

}  // namespace

Status read_samples(Report& report) {
    return Samples(report).run();
}

}  // namespace opsight::nsys
