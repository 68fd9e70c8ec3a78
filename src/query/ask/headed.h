// Columns under the headers of other tools: the key follows from the header, and the unit is part of both.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "query/ask/result_table.h"

namespace opsight::query::headed {

// "Total Time" in ns: key "total_time_ns", header "Total Time (ns)". A header that tells its unit already, as
// "Time (%)" does, stays as it is.
Column of(std::string header, Unit unit, Role role = Role::kValue);

inline Column text(std::string header, Role role = Role::kValue) {
    return of(std::move(header), Unit::kNone, role);
}
inline Column count(std::string header) {
    return of(std::move(header), Unit::kCount);
}
inline Column number(std::string header) {  // with a fraction
    return of(std::move(header), Unit::kNone, Role::kNumber);
}
inline Column id(std::string header) {
    return of(std::move(header), Unit::kCount, Role::kId);
}
inline Column time(std::string header) {
    return of(std::move(header), Unit::kNs);
}
inline Column moment(std::string header) {
    return of(std::move(header), Unit::kNs, Role::kMoment);
}
inline Column percent(std::string header) {
    return of(std::move(header), Unit::kPercent);
}
inline Column bytes(std::string header) {
    return of(std::move(header), Unit::kBytes);
}
inline Column plain_bytes(std::string header) {  // in no larger unit, which nobody names
    return of(std::move(header), Unit::kBytes, Role::kNumber);
}
inline Column rate(std::string header) {
    return of(std::move(header), Unit::kBytesPerSecond);
}

ResultTable table(std::string title, std::vector<Column> columns, std::vector<std::vector<Cell>> rows = {});

}  // namespace opsight::query::headed
