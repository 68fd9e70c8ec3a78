// What the events of a device's plane tell of their ops, each distinct one worked out once.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string_view>
#include <tuple>

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
    static std::string_view kind_of(const Event& event);
    static std::string_view name_of(const Event& event);

  private:
    using Key = std::tuple<const char*, const char*, const char*, const char*, const char*>;

    ToldOpId make(const Event& event);
    std::string_view module_of(const Event& event) const;

    Sink& sink_;
    absl::flat_hash_map<int64_t, std::string_view> modules_;  // by the number of the program
    absl::flat_hash_map<Key, ToldOpId> known_;
};

}  // namespace opsight::importer::xplane
