// ResultTable: the answer to a question that has rows. query/ fills it, report/ and the viewer's server show
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace opsight::duck {
class Cursor;
}

namespace opsight::query {

enum class Unit : uint8_t { kNone, kCount, kNs, kPercent, kBytes, kFlops, kBytesPerSecond };

// What the values of a column are, where the unit does not say it.
enum class Role : uint8_t {
    kValue,   // text, or an amount in the column's unit
    kNumber,  // an amount that is written as it is
    kId,      // a number that names something
    kMoment,  // a point in time, ns from the begin of the profile
    kShapes,  // a list of shapes as JSON
    kTypes,   // a list of data types
    kStack,   // frames with semicolons between
    // One of a few words: choices_of() has them.
    kDirection,
    kYesNo,
    kWarning,  // yes or no, where yes is to be seen
    kAnswer,   // yes, no or unknown
    kWorkClass,
    kEvidence,
    kSeverity,
    kOpOrRange,
    kDeviceType,
};

struct Choice {
    std::string_view value, word;  // as it is stored, and as people read it
};
// Empty for the roles that are not one of a few words.
std::span<const Choice> choices_of(Role role);

struct Column {
    std::string key;     // JSON: snake_case with the unit in it, "total_cpu_time_ns"
    std::string header;  // CSV and terminal, "Total CPU Time (ns)"
    Unit unit = Unit::kNone;
    // Which columns stay when a terminal is too narrow: 0 always, higher numbers go first.
    int priority = 0;
    Role role = Role::kValue;
    bool device_only = false;           // says nothing where a profile has no device work
    std::string_view description = {};  // what it means (definitions.h); empty: not defined
    bool host_only = false;             // not known where the source tells work of devices alone
};

inline Column of_device(Column column) {
    column.device_only = true;
    return column;
}

inline Column of_host(Column column) {
    column.host_only = true;
    return column;
}

inline bool is_text(const Column& column) {
    return column.unit == Unit::kNone && column.role != Role::kNumber;
}

// monostate: not known or not applicable; shown as an empty field, JSON null.
using Cell = std::variant<std::monostate, int64_t, double, bool, std::string>;

struct ResultTable {
    std::string name;   // "kernel"
    std::string title;  // "Kernel Report"
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;
    int64_t rows_in_all = -1;        // before a limit was applied; -1: all rows are here
    int64_t rows_matching = -1;      // of a page: what passes its search and filters
    int64_t place = -1;              // of the row that a page was asked for: how many come before it
    std::vector<std::string> notes;  // what a reader must know, a sentence each
    // Of a page that was asked for so: its rows are to be read here, before the session does anything else.
    std::shared_ptr<duck::Cursor> stream;
    // Keys of the columns that the page shows at first, in its order; empty: all of them.
    std::vector<std::string_view> shown;
};

}  // namespace opsight::query
