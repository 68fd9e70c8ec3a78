// What the events of a device's plane tell of their ops, each type of event and each distinct op worked out
// once: a plane has many times more events.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string_view>
#include <tuple>
#include <vector>

#include "import/xplane/details.h"
#include "import/xplane/sink.h"

namespace opsight::importer::xplane {

class PlaneOps {
  public:
    PlaneOps(const Plane& plane, Sink& sink);

    // Invalid where the event tells of none.
    ToldOpId op_of(const Event& event);
    // Of an operation between devices, "all-reduce" and its kin; else invalid.
    CollectiveId collective_of(const Event& event);

    // "all-reduce-start.1" -> "all-reduce-start"; the opcode where the event has its HLO text.
    std::string_view kind_of(const Event& event) { return facts_of(event).kind; }
    std::string_view name_of(const Event& event) { return facts_of(event).name; }
    // name_of() as a text of the profile.
    StringId text_of(const Event& event);

  private:
    struct TypeFacts {
        bool is_known = false, has_collective = false;
        std::string_view name, kind;
        StringId text;  // invalid: not yet asked for, or unclean, which counts at each event
        CollectiveId collective;
    };
    using Key = std::tuple<const char*, const char*, const char*, const char*, const char*, int64_t>;

    TypeFacts& facts_of(const Event& event);
    CollectiveId make_collective(const Event& event);
    ToldOpId make(const Event& event);
    std::string_view module_of(const Event& event) const;

    Sink& sink_;
    absl::flat_hash_map<int64_t, std::string_view> modules_;  // by the number of the program
    absl::flat_hash_map<Key, ToldOpId> known_;
    std::vector<TypeFacts> types_;  // by the number of the type
};

}  // namespace opsight::importer::xplane
