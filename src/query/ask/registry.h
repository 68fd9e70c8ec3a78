// Registry: what can be asked for by name. A family of reports, tables or rules is a list of entries, each a
// ReportInfo and how it is made; what lists them, finds one, and refuses a name that none has, is here alone.
// query/tables/families.h has all families; how they look is up to report/.
#pragma once

#include <algorithm>
#include <concepts>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "query/ask/report.h"

namespace opsight::query {

// What does not depend on how an entry is made.
struct Family {
    std::string_view command, option;  // of the command line, that take the names; empty: the viewer's tables
    std::string_view unknown;          // "there is no report": what is said of a name that none has
    std::string_view remedy;           // and what to do; {} stands for the names
    std::vector<ReportInfo> members;   // in their order

    std::vector<std::string_view> names() const;
    bool has(std::string_view name) const;         // by its name or an old one
    size_t place_of(std::string_view name) const;  // of no member: how many there are
    Error no_such(std::string_view name) const;
};

template <std::derived_from<ReportInfo> Entry>
class Registry {
  public:
    Registry(Family family, std::vector<Entry> entries)
        : family_(std::move(family)), entries_(std::move(entries)) {
        family_.members.assign(entries_.begin(), entries_.end());
    }

    const Family& family() const { return family_; }
    const std::vector<Entry>& entries() const { return entries_; }
    // Null where none has the name.
    const Entry* find(std::string_view name) const {
        const size_t place = family_.place_of(name);
        return place < entries_.size() ? &entries_[place] : nullptr;
    }
    Result<const Entry*> get(std::string_view name) const {
        const Entry* entry = find(name);
        if (!entry) return fail(family_.no_such(name));
        return entry;
    }

  private:
    Family family_;
    std::vector<Entry> entries_;
};

}  // namespace opsight::query
