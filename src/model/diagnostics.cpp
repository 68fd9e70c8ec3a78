#include "model/diagnostics.h"

namespace opsight {
namespace {

constexpr DiagKind kKinds[] = {
#define OPSIGHT_DIAG(symbol, key, severity, help) {key, severity, help},
#include "model/diagnostics.def"
#undef OPSIGHT_DIAG
};

}  // namespace

std::string_view severity_name(Severity severity) {
    constexpr std::string_view names[] = {"info", "notice", "data_loss", "error"};
    return names[static_cast<size_t>(severity)];
}

const DiagKind& diag_kind(Diag diag) {
    return kKinds[static_cast<size_t>(diag)];
}

namespace {

// Counts that a file tells may be anything.
int64_t sum(int64_t a, int64_t b) {
    int64_t both = 0;
    return __builtin_add_overflow(a, b, &both) ? INT64_MAX : both;
}

}  // namespace

void Diagnostics::add(Diag diag, DiagOccurrence where, int64_t count) {
    Entry& entry = entries_[static_cast<size_t>(diag)];
    entry.count = sum(entry.count, count);
    const bool has_place =
        where.offset >= 0 || where.time_ns >= 0 || !where.text.empty() || !where.file.empty();
    if (has_place && entry.first.size() < kKept) entry.first.push_back(std::move(where));
}

void Diagnostics::merge(const Diagnostics& other) {
    for (size_t i = 0; i < entries_.size(); ++i) {
        entries_[i].count = sum(entries_[i].count, other.entries_[i].count);
        for (const DiagOccurrence& where : other.entries_[i].first)
            if (entries_[i].first.size() < kKept) entries_[i].first.push_back(where);
    }
}

}  // namespace opsight
