// From a small fabricated profile to a session on it, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"
#include "base/test_files.h"
#include "db/writer.h"
#include "query/session/session.h"

namespace opsight::query {

// A profile file that goes away with it. A session closes its file before that.
class StoredProfile {
  public:
    explicit StoredProfile(analyze::TestProfile&& made, const analyze::AnalysisOptions& options = {}) {
        Profile profile = made.finish();
        const analyze::Analysis analysis = analyze::analyze(profile, options);
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

// First cell of a statement's answer.
inline duck::Cell value_of(Session& session, const std::string& sql) {
    auto rows = session.query(sql);
    if (!rows || rows->rows.empty()) {
        ADD_FAILURE() << (rows ? "no rows: " + sql : rows.error().message());
        return {};
    }
    return rows->rows[0][0];
}

}  // namespace opsight::query
