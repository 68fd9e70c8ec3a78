// Ranges of XLA: ops stand in the layers of their program, whose prefix their names leave out.
#include <gtest/gtest.h>

#include "import/nsys/test_export.h"

namespace opsight {
namespace {

using testing::import_sql;
using testing::kTables;
using testing::range;

std::string tsl(long long start, long long end, const std::string& text) {
    return range(start, std::to_string(end), 59, text, 7, "NULL, 3");
}

struct Found {
    std::string path;
    bool backward;
    friend bool operator==(const Found&, const Found&) = default;
};

Found found(const Profile& p, std::string_view name) {
    for (size_t row = 0; row < p.host.size(); ++row)
        if (p.host.kind[row] == HostKind::kOp && p.strings.view(p.host.name[row]) == name)
            return {std::string(p.strings.view(p.op_details.module_path[p.host.detail[row]])),
                    (p.host.flags[row] & kBackward) != 0};
    return {"not found", false};
}

TEST(NsysXla, OpsStandWhereTheirProgramsPrefixEnds) {
    const testing::TempFolder folder;
    const std::string dense = "Thunk:#name=dense/dot_general,hlo_op=";
    const Profile p = import_sql(
        folder,
        kTables + range(1, "NULL", 75, "TSL", 7, "NULL, 3") +
            tsl(100, 200, "XlaModule:#prefix=jit(apply)/jit(main)/Net,hlo_module=jit_apply,program_id=4#") +
            tsl(110, 120, dense + "gemm.1#") + tsl(130, 140, "Thunk:#hlo_op=copy.1#") +
            tsl(300, 400,
                "XlaModule:#prefix=jit(b)/jit(main)/transpose(jvp(Net)),hlo_module=jit_b,program_id=5#") +
            tsl(310, 320, dense + "gemm.2#") + tsl(500, 510, dense + "gemm.3#") +
            tsl(600, 700,
                "XlaModule:#prefix=jit(a)/jit(main),hlo_module=jit_" + std::string(2000, 'm') + "#") +
            tsl(610, 620, dense + "gemm.4#"));
    EXPECT_EQ(found(p, "gemm.1"), (Found{"jit_apply/Net/dense", false}));
    EXPECT_EQ(found(p, "copy.1"), (Found{"", false}));
    EXPECT_EQ(found(p, "gemm.2"), (Found{"jit_b/Net/dense", true})) << "the same text in another program";
    EXPECT_EQ(found(p, "gemm.3"), (Found{"dense", false})) << "after its program";
    EXPECT_EQ(found(p, "gemm.4"), (Found{"dense", false})) << "no copies of a long name";
}

}  // namespace
}  // namespace opsight
