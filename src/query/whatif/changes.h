// What is to be supposed of a run, and what of it that concerns.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "query/session/session.h"
#include "replay/graph.h"

namespace opsight::query {

struct Scale {
    enum class Of : uint8_t { kKernel, kOp, kLayer };
    Of of = Of::kKernel;
    std::string pattern;  // '*' any text, '?' any character; "~...": RE2, found anywhere in a name
    double factor = 1;    // of the time; 0: it is not there
};

struct Suppositions {
    std::vector<Scale> scales;
    bool no_data_loading = false, no_waits = false, no_communication = false;
    double clock = 1;  // of the device, times faster
    bool any() const {
        return !scales.empty() || no_data_loading || no_waits || no_communication || clock != 1;
    }
};

// "kernel:GLOB=0.5", "kernel:~REGEX=0.5", "op:NAME=0", "layer:PATH=2".
Result<Scale> parse_scale(std::string_view text);

// Names of a profile, and the rules for each.
struct Names {
    struct Entry {
        std::string text;
        replay::RuleSet rules = 0;
        bool data_loading = false;
        int64_t layer = -1;
    };
    using List = std::map<int64_t, Entry>;  // by their numbers, which need not be dense
    List ops, kernels, layers, texts;
    static const Entry& at(const List& list, int64_t id);
};

// What rules there are: `factors` by their numbers.
struct Rules {
    Names names;
    std::vector<std::string> words;
    replay::Changes changes;
    replay::RuleSet data_loading = 0, waits = 0, communication = 0, clock = 0;
};

// A target that the profile has nothing of is an error, with what is called similarly.
Result<Rules> make_rules(Session& session, const Suppositions& suppositions);

}  // namespace opsight::query
