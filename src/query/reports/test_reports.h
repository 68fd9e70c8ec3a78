// Tables of reports, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "query/ask/test_cells.h"
#include "query/reports/reports.h"
#include "query/session/test_session.h"

namespace opsight::query {

// A table of a report; without a name its first.
inline ResultTable table_of(Session& session, std::string_view report, std::string_view name = {}) {
    auto made = make_report(session, report, {});
    if (!made) {
        ADD_FAILURE() << made.error().message();
        return {};
    }
    for (const Section& section : made->sections)
        if (name.empty() || section.table.name == name) return section.table;
    ADD_FAILURE() << "no table " << name << " in " << report;
    return {};
}

inline constexpr const char* kTcKernel = "volta_h884gemm_64x128_ldg8_nn";

// A single cell of a report.
inline double of(Session& session, std::string_view report, std::string_view column, std::string_view by = {},
                 const std::string& wanted = {}) {
    return number(cell(table_of(session, report), column, by, wanted));
}
inline double summary(Session& session, std::string_view column) {
    return of(session, "summary", column);
}

}  // namespace opsight::query
