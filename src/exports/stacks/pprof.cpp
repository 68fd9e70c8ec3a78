#include "exports/stacks/pprof.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/gzip_text.h"
#include "exports/format/output.h"
#include "exports/stacks/stacks.h"
#include "exports/wire/protobuf.h"
#include "exports/wire/valid_utf8.h"

namespace opsight::exports {
namespace {

// Fields of https://github.com/google/pprof/blob/main/proto/profile.proto.
namespace profile {
constexpr uint32_t kSampleType = 1, kSample = 2, kLocation = 4, kFunction = 5, kStringTable = 6,
                   kDefault = 14;
}
namespace value_type {
constexpr uint32_t kType = 1, kUnit = 2;
}
namespace sample {
constexpr uint32_t kLocation = 1, kValue = 2;
}
namespace location {
constexpr uint32_t kId = 1, kLine = 4;
}
namespace line {
constexpr uint32_t kFunction = 1;
}
namespace function {
constexpr uint32_t kId = 1, kName = 2;
}

class Writer {
  public:
    explicit Writer(const Stacks& stacks) : stacks_(stacks) {}

    std::string run() {
        strings_.emplace_back();  // the first one is empty
        types();
        for (size_t i = 0; i < stacks_.nodes.size(); ++i)
            put(i);
        for (size_t i = 0; i < stacks_.frames.size(); ++i)
            place(i);
        for (const std::string& text : strings_)
            profile_.text(profile::kStringTable, text);
        return gzipped(profile_.bytes());
    }

  private:
    void types() {
        const int64_t device = stacks_.device_ns > 0 ? 3 : 1;
        int64_t shown = 0;
        const std::pair<const char*, const char*> kTypes[] = {{"op_calls", "count"},
                                                              {"cpu_time_of_ops", "nanoseconds"},
                                                              {"device_spans", "count"},
                                                              {"device_time", "nanoseconds"}};
        for (int64_t i = 0; i < 4; ++i) {
            const int64_t name = string(kTypes[i].first), unit = string(kTypes[i].second);
            if (i == device) shown = name;
            profile_.message(profile::kSampleType,
                             Message().integer(value_type::kType, name).integer(value_type::kUnit, unit));
        }
        profile_.integer(profile::kDefault, shown);
    }

    void put(size_t index) {
        const StackNode& node = stacks_.nodes[index];
        if (node.calls + node.device_spans == 0) return;
        Message told;
        std::vector<int32_t> path = stacks_.path_of(index);
        std::reverse(path.begin(), path.end());  // the innermost first
        for (const int32_t frame : path)
            told.integer(sample::kLocation, frame + 1);
        for (const int64_t value : {node.calls, node.cpu_ns, node.device_spans, node.device_ns})
            told.integer(sample::kValue, value);
        profile_.message(profile::kSample, told);
    }

    // A location and a function of the same number for each frame.
    void place(size_t frame) {
        const auto id = static_cast<int64_t>(frame) + 1;
        profile_.message(
            profile::kFunction,
            Message().integer(function::kId, id).integer(function::kName, string(stacks_.frames[frame])));
        profile_.message(profile::kLocation,
                         Message()
                             .integer(location::kId, id)
                             .message(location::kLine, Message().integer(line::kFunction, id)));
    }

    int64_t string(std::string_view text) {
        strings_.push_back(valid_utf8(text));
        return std::ssize(strings_) - 1;
    }

    const Stacks& stacks_;
    std::vector<std::string> strings_;
    Message profile_;
};

Result<std::string> write(const Job& job) {
    OPSIGHT_ASSIGN(const Stacks stacks, read_stacks(job));
    OPSIGHT_ASSIGN(Output output, Output::create(job));
    output.buffer() = Writer(stacks).run();
    OPSIGHT_TRY(output.finish());
    return fmt::format("{} stacks of {} frames", stacks.nodes.size(), stacks.frames.size());
}

}  // namespace

Format pprof_format() {
    return {
        "pprof", ".pb.gz", "the same stacks for pprof: calls and CPU time of ops, spans and time of devices",
        false,   false,    write};
}

}  // namespace opsight::exports
