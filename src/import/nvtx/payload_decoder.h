// Reads payloads: what payload.h offers, and payload_values.cpp shares with payload.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "import/nvtx/payload.h"

namespace opsight::importer::nvtx {

inline constexpr size_t kMostText = 16 << 10, kMostValues = 4096;  // of one payload

// How the values of a predefined type read.
enum class Look { kUnsigned, kSigned, kReal, kLetter, kHex, kHandle };

Look look_of(uint64_t type);

inline uint64_t unsigned_of(std::string_view bytes) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
    return value;
}
inline int64_t signed_of(std::string_view bytes) {
    if (bytes.empty()) return 0;
    const auto unused = static_cast<unsigned>(64 - 8 * std::min<size_t>(bytes.size(), 8));
    return static_cast<int64_t>(unsigned_of(bytes) << unused) >> unused;
}
// A number in quotes, most significant digit first.
std::string hex_of_number(std::string_view bytes);

// Reads one payload from front to back. The first problem is kept; after it, entries whose offset is told are
// still read.
class Decoder {
  public:
    Decoder(const Schemas& schemas, uint64_t domain, std::string_view bytes, const TextOf& text_of,
            const VisitNumber& visit, const Beyond& beyond)
        : schemas_(schemas),
          domain_(domain),
          bytes_(bytes),
          text_of_(text_of),
          visit_(visit),
          beyond_(beyond) {}

    // Each appends to the JSON and moves on. False: nothing was appended.
    bool value(uint64_t type, const std::string& place, std::optional<uint64_t> member = std::nullopt);
    using Integers = std::vector<std::optional<uint64_t>>;  // of the entries so far
    bool entry(const SchemaEntry& entry, const Integers& before, const std::string& place);
    std::optional<uint64_t> integer() const { return integer_; }
    Decoded result;

  private:
    void tell(std::string why) {
        if (result.problem.empty()) result.problem = std::move(why);
    }
    bool fail(std::string why) {
        tell(std::move(why));
        lost_ = true;
        return false;
    }
    // The next bytes; a problem where there are less.
    std::optional<std::string_view> take(uint64_t size) {
        if (at_ > bytes_.size() || size > bytes_.size() - at_) {
            fail("it ends too early");
            return std::nullopt;
        }
        at_ += size;
        return bytes_.substr(at_ - size, size);
    }
    bool object(uint64_t id, const Schema& schema, const std::string& place, std::optional<uint64_t> member);
    bool seek(const Schema& schema, size_t index, uint64_t base);
    std::optional<uint64_t> selected(const Schema& schema, uint64_t base) const;
    bool pointed(const SchemaEntry& entry, const Integers& before, const std::string& place);
    std::optional<std::string_view> target(const SchemaEntry& entry, uint64_t value) const;
    bool array(const SchemaEntry& entry, std::optional<uint64_t> count, const std::string& place);
    std::optional<uint64_t> zero_terminated(uint64_t size);
    bool characters(const SchemaEntry& entry, uint64_t count);
    bool scalar(uint64_t type, const std::string& place);
    void real(uint64_t type, std::string_view bytes, const std::string& place);
    bool enum_value(const Schema& schema);
    void event_fact(const SchemaEntry& entry, std::string_view bytes);
    void text(std::string_view clean);
    void number(double number, uint64_t type, const std::string& place) {
        if (visit_ && !quiet_ && std::isfinite(number)) visit_({place, number, type, entry_});
    }

    const Schemas& schemas_;
    const uint64_t domain_;
    std::string_view bytes_;  // the payload, or what an entry of it points to
    const TextOf& text_of_;
    const VisitNumber& visit_;
    const Beyond& beyond_;
    uint64_t at_ = 0;
    size_t values_ = 0;
    int depth_ = 0;
    bool lost_ = false;                   // where the next entry begins is not known
    bool quiet_ = false;                  // in an entry that is not a number of the program's
    const SchemaEntry* entry_ = nullptr;  // that is being read
    std::optional<uint64_t> integer_;     // of the entry that was read last; of an array: the product
    std::string last_text_;
};

}  // namespace opsight::importer::nvtx
