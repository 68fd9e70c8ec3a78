#include "query/ask/definitions.h"

#include <gtest/gtest.h>

namespace opsight::query {
namespace {

struct Head {
    const char *table, *header, *word;
};

TEST(Definitions, SayWhatColumnsMean) {
    for (const auto& [table, header, word] : {
             Head{"detailed", "Op ID", "number of an op"},
             {"detailed", "No. Calls", "instances"},
             {"iteration_ops", "Direction", "backward"},
             {"detailed", "TC Eligible", "could use Tensor Cores"},
             {"kernel", "Kernel Time (%)", "all kernels"},
             {"kernels", "Occupancy (%)", "estimate"},
             {"group_op", "Num Calls Aggregated", "from outside of the layer"},
             {"tensor_core", "TC Utilization (%)", "TC"},
             {"iterations", "TC Kernels", ""},
             {"iteration", "Launch Delay (ns)", "launching call"},
             {"streams", "Host Wait (ns)", ""},
             {"streams", "Queued Wait (ns)", ""},
             {"roofline", "Bytes/s (B)", ""},
             {"memory_allocators", "Allocated - Freed (bytes)", ""},
             {"ranges", "Median (ns)", ""},
             {"collectives", "Bus Bytes/s at Least", "all-reduce"},
             {"overlap", "Hidden (%)", "compute kernel"},
         }) {
        const std::string_view said = definition_of(table, header);
        EXPECT_FALSE(said.empty()) << table << ": " << header;
        EXPECT_NE(said.find(word), said.npos) << table << ": " << header << ": " << said;
    }
}

TEST(Definitions, FindAColumnWhateverOfItTheRowSumsUp) {
    for (const char* header : {"Total CPU Time (ns)", "Avg. CPU Time (ns)", "P95 CPU Time (ns)"})
        EXPECT_NE(definition_of("detailed", header).find("its span on the host"), std::string_view::npos);
    EXPECT_NE(definition_of("detailed", "Self GPU Time (ns)").find("this op innermost"),
              std::string_view::npos);
    EXPECT_NE(definition_of("devices", "GPU Utilization %").find("wall clock"), std::string_view::npos);
    EXPECT_NE(definition_of("streams", "Max Queue Depth").find("the most at any launch"),
              std::string_view::npos);
}

// One word, several meanings.
TEST(Definitions, AreNotThoseOfAnotherTable) {
    for (const auto& [table, header, other] : {
             Head{"ranges", "Median (ns)", "iterations"},
             {"ranges", "Min (ns)", "iterations"},
             {"counters", "P95", "iterations"},
             {"copies", "Max Time (ns)", "iterations"},
             {"iterations", "Duration (ns)", "device"},
             {"iterations", "Name", "module"},
             {"copies", "Count", "pixel"},
             {"copies", "Bytes", "each input"},
             {"copies", "Bytes/s", "FLOPs"},
             {"roofline", "Time (ns)", "until"},
             {"kernel", "Total GPU Time (ns)", "union"},
             {"tensor_core", "Total GPU Time (ns)", "union"},
             {"communication", "Data Type", "inputs"},
             {"devices", "Busy Time (ns)", "stream"},
             {"streams", "Name", "driver"},
             {"ranges", "Self Time (%)", "directly inside"},
             {"roofline", "Time %", "sum of"},
             {"model_nodes", "Op Type", "tells instances"},
             {"roofline_ceilings", "FLOP/s (1)", "counted"},
             {"diagnostics", "Count", "range"},
             {"group_op", "Num Calls Aggregated", "launches"},
             {"kernel", "No. Calls", "op alone"},
         }) {
        const std::string_view said = definition_of(table, header);
        EXPECT_EQ(said.find(other), said.npos) << table << ": " << header << ": " << said;
    }
}

TEST(Definitions, SayNothingOfWhatIsNotDefined) {
    EXPECT_EQ(definition_of("detailed", "no such header"), "");
    EXPECT_EQ(definition_of("no such table", "Op ID"), "");
}

TEST(Definitions, FillTheColumnsOfATable) {
    ResultTable table{"overlap", "", {{"rank", "Rank"}, {"x", "no such header"}}};
    describe(table);
    EXPECT_NE(table.columns[0].description, "");
    EXPECT_EQ(table.columns[1].description, "");
}

}  // namespace
}  // namespace opsight::query
