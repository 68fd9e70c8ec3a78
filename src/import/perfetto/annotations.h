// Annotations of events (DebugAnnotation) as members of a JSON object.
#pragma once

#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "import/perfetto/growth.h"
#include "import/perfetto/sequence.h"
#include "model/diagnostics.h"

namespace opsight::importer::perfetto {

// Text of untrusted bytes; a diagnostic counts those that are not UTF-8. Control characters stay: JSON has
// words for them.
std::string clean_bytes(std::string_view bytes, Diagnostics& diagnostics);

class Annotations {
  public:
    Annotations(const Sequence& sequence, Diagnostics& diagnostics, Growth& growth)
        : sequence_(sequence), diagnostics_(diagnostics), growth_(growth) {}
    // Takes a message. In an object, a member of it.
    void add(JsonWriter& json, std::string_view message, int depth = 0);
    // `depth` 0 is that of an event's own annotations.
    static constexpr int kDeepest = 32;

  private:
    struct Parts;
    Parts parts_of(std::string_view message) const;
    void value(JsonWriter& json, const Parts& parts, std::string_view message, int depth);
    std::string_view text(uint64_t number, Interned kind);

    const Sequence& sequence_;
    Diagnostics& diagnostics_;
    Growth& growth_;
};

}  // namespace opsight::importer::perfetto
