// Tables whose rows are read while they are sent: the last statement of a session is the one that they come
// from.
#include <gtest/gtest.h>

#include "db/reader.h"
#include "query/session/test_session.h"
#include "query/tables/tables.h"

namespace opsight::query {
namespace {

StoredProfile nested_ops() {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    for (const int64_t begin : {1000, 3000}) {
        t.op("aten::mm", begin, 900, t.thread());
        t.op("aten::mm", begin + 100, 300, t.thread());
    }
    t.api("cudaLaunchKernel", 1010, 5, t.thread(), 1);
    t.kernel("volta_h884gemm", 1100, 40, t.stream(), 1);
    return StoredProfile(std::move(t));
}

using Rows = std::vector<std::vector<Cell>>;

Result<Rows> all_rows(duck::Cursor& stream) {
    Rows rows;
    while (true) {
        OPSIGHT_ASSIGN(const bool more, stream.read(rows));
        if (!more) return rows;
    }
}

// A session that has worked nothing out yet for each: what is kept is made by fewer statements.
TEST(Streamed, EveryTableIsReadToItsEnd) {
    const StoredProfile stored = nested_ops();
    const auto profile = db::open_profile(stored.path(), {});
    ASSERT_TRUE(profile);
    Session one = stored.open();
    TableShape shape;
    shape.page.emplace();
    for (const std::string_view name : table_family().names()) {
        shape.page->streamed = false;
        const auto shown = make_table(one, name, {.op = 0}, shape);
        ASSERT_TRUE(shown) << name << ": " << shown.error().message();

        shape.page->streamed = true;
        auto session = Session::open_on(*profile, stored.path(), {});
        ASSERT_TRUE(session) << session.error().message();
        const auto table = make_table(*session, name, {.op = 0}, shape);
        ASSERT_TRUE(table) << name << ": " << table.error().message();
        ASSERT_TRUE(table->stream) << name;
        const auto rows = all_rows(*table->stream);
        ASSERT_TRUE(rows) << name << ": " << rows.error().message();
        EXPECT_EQ(*rows, shown->rows) << name;
    }
}

}  // namespace
}  // namespace opsight::query
