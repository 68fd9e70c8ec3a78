// From a small fabricated profile to the answers of this room, for its tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"
#include "base/test_files.h"
#include "db/writer.h"
#include "query/reports.h"
#include "query/session.h"

namespace opsight {

// A profile file that goes away with it. A session closes its file before that.
class StoredProfile {
  public:
    explicit StoredProfile(TestProfile&& made, const AnalysisOptions& options = {}) {
        Profile profile = made.finish();
        const Analysis analysis = analyze(profile, options);
        const Status status = db::write_profile(path(), profile, analysis);
        EXPECT_TRUE(status.has_value()) << status.error().message();
    }
    std::string path() const { return folder_.path() + "/a.opsight"; }
    Session open(const RangeOptions& range = {}) const {
        auto session = Session::open(path(), range);
        if (!session) ADD_FAILURE() << session.error().message();
        return std::move(session).value();
    }

  private:
    testing::TempFolder folder_;
};

// The cell of a table in a row whose cell `by` is `wanted` (by empty: of the first row).
inline Cell cell(const ResultTable& table, std::string_view column, std::string_view by = {},
                 const std::string& wanted = {}) {
    const auto index = [&](std::string_view key) {
        const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                                     [&](const Column& c) { return c.key == key; });
        EXPECT_NE(at, table.columns.end()) << "no column " << key << " in " << table.name;
        return static_cast<size_t>(at - table.columns.begin());
    };
    if (index(column) == table.columns.size() || (!by.empty() && index(by) == table.columns.size()))
        return {};
    for (const auto& row : table.rows) {
        if (!by.empty()) {
            const auto* text = std::get_if<std::string>(&row[index(by)]);
            const auto* number = std::get_if<int64_t>(&row[index(by)]);
            if (!(text && *text == wanted) && !(number && std::to_string(*number) == wanted)) continue;
        }
        return row[index(column)];
    }
    ADD_FAILURE() << "no row with " << by << " = " << wanted << " in " << table.name;
    return {};
}

// Number in a cell; -1e300 where the field is empty.
inline double number(const Cell& value) {
    if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return -1e300;
}
inline bool is_empty(const Cell& value) {
    return std::holds_alternative<std::monostate>(value);
}

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

// First cell of a statement's answer.
inline Cell value_of(Session& session, const std::string& sql) {
    auto rows = session.query(sql);
    if (!rows || rows->rows.empty()) {
        ADD_FAILURE() << (rows ? "no rows: " + sql : rows.error().message());
        return {};
    }
    return rows->rows[0][0];
}

}  // namespace opsight
