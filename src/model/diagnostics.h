// Diagnostics: every kind of oddity is declared once, counted at each occurrence, its first places kept.
// Dropping or repairing input without a diagnostic is a bug.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opsight {

enum class Severity : uint8_t { kInfo, kNotice, kDataLoss, kError };
std::string_view severity_name(Severity severity);  // "info", "notice", "data_loss", "error"

enum class Diag : uint16_t {
#define OPSIGHT_DIAG(symbol, key, severity, help) symbol,
#include "model/diagnostics.def"
#undef OPSIGHT_DIAG
    kCount
};

struct DiagKind {
    std::string_view key;
    Severity severity;
    std::string_view help;  // what it means for the numbers, and what to do
};
const DiagKind& diag_kind(Diag diag);

struct DiagOccurrence {
    std::string file;
    int64_t offset = -1;  // byte in the uncompressed source; -1: not tied to a place
    int64_t time_ns = -1;
    std::string text;  // the value that was odd
};

class Diagnostics {
  public:
    static constexpr size_t kKept = 5;  // occurrences kept of each kind

    void add(Diag diag, DiagOccurrence where = {}, int64_t count = 1);
    void merge(const Diagnostics& other);
    int64_t count(Diag diag) const { return entries_[static_cast<size_t>(diag)].count; }
    const std::vector<DiagOccurrence>& first(Diag diag) const {
        return entries_[static_cast<size_t>(diag)].first;
    }
    bool wants_place(Diag diag) const { return first(diag).size() < kKept; }

  private:
    struct Entry {
        int64_t count = 0;
        std::vector<DiagOccurrence> first;
    };
    std::array<Entry, static_cast<size_t>(Diag::kCount)> entries_;
};

}  // namespace opsight
