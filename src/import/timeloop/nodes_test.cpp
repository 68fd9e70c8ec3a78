// Architectures of nodes, as people write them for Timeloop 0.4.
#include "import/timeloop/nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_files.h"
#include "import/timeloop/specification.h"
#include "map/analysis.h"
#include "map/map_space.h"

namespace opsight::importer::timeloop {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kProduct = R"(
problem:
  version: 0.4
  shape:
    name: conv1d
    dimensions: [ K, C, P, R ]
    data_spaces:
    - {name: Weights, projection: [ [[K]], [[C]], [[R]] ]}
    - {name: Inputs, projection: [ [[C]], [[R], [P]] ]}
    - {name: Outputs, projection: [ [[K]], [[P]] ], read_write: True}
  instance: {K: 8, C: CHANNELS, P: 16, R: 1}
)";
constexpr const char* kNodes = R"(
variables:
  version: 0.4
  CHANNELS: 2 * 4
  technology: "45nm"
architecture:
  version: 0.4
  nodes:
  - !Container
    name: system
    attributes: {word: 16, global_cycle_seconds: 1e-9}
  - !Component
    name: DRAM
    class: DRAM
    attributes: {type: "LPDDR4", width: word * 4, datawidth: word}
  - !Component {name: Buffer, class: SRAM, attributes: {depth: 1024, width: 64, datawidth: word, read_bandwidth: null}}
  - !Container
    name: PE
    spatial: {meshX: 2 ** 2, meshY: word // 8}
    constraints: {spatial: {permutation: [K, C], split: 1, factors: [P=1]}}
  - !Nothing
  - !Parallel
    nodes:
    - !Component
      name: weights
      class: regfile
      attributes: {depth: 8 if CHANNELS > 4 else 4, width: word, datawidth: word}
      constraints: {dataspace: {keep: [Weights]}, temporal: {factors: [K=1]}}
    - !Component
      name: rest
      class: regfile
      attributes: {depth: 16, width: word, datawidth: word}
      constraints: {dataspace: {keep_only: [Inputs, Outputs]}}
  - !Component {name: off, class: nonsense, enabled: false}
  - !Component {name: mac, class: intmac, attributes: {width: 8}}
)";

class Nodes : public ::testing::Test {
  protected:
    Result<Specification> read(const std::string& nodes, bool search = true) {
        const std::string problem = files_.write("problem.yaml", kProduct);
        return read_specification({files_.write("arch.yaml", nodes), problem}, "", search);
    }
    std::string refusal(const std::string& nodes) {
        const Result<Specification> read = this->read(nodes);
        if (read) return "read";
        return read.error().place + ": " + read.error().what + " | " + read.error().remedy;
    }
    // The nodes with one text in place of another, which must be there.
    static std::string with(const std::string& old, const std::string& now) {
        std::string text = kNodes;
        const size_t at = text.find(old);
        EXPECT_NE(at, std::string::npos) << old;
        return text.replace(at, old.size(), now);
    }

    testing::TempFolder files_;
};

TEST_F(Nodes, AreWrittenOut) {
    const Result<Specification> given = read(kNodes);
    ASSERT_TRUE(given) << given.error().what;
    EXPECT_EQ(given->problem.dimensions[1].bound, 8);
    const map::Architecture& architecture = given->architecture;
    std::vector<std::string> names;
    std::vector<int64_t> instances;
    for (const map::Level& level : architecture.levels) {
        names.push_back(level.name);
        instances.push_back(level.mesh.instances());
    }
    EXPECT_THAT(names, ElementsAre("rest", "weights", "inter_PE_spatial", "Buffer", "DRAM"));
    EXPECT_THAT(instances, ElementsAre(8, 8, 1, 1, 1));
    EXPECT_EQ(architecture.compute.mesh.x, 4);
    EXPECT_EQ(architecture.compute.mesh.y, 2);
    EXPECT_TRUE(architecture.levels[2].dummy);
    EXPECT_EQ(architecture.levels[1].capacity, 8);
    EXPECT_EQ(architecture.levels[3].block, 4);
    EXPECT_EQ(architecture.levels[4].block, 4);
    EXPECT_FALSE(architecture.levels[3].read_bandwidth);
}

// Areas of a table go before estimates, with or without energies of a table.
TEST_F(Nodes, ATableOfAreasStays) {
    const std::string art = files_.write("art.yaml", R"(
ART:
  version: 0.4
  tables:
  - {name: "Buffer[1..1]", area: 1234.5}
)");
    const Result<Specification> given = read_specification(
        {files_.write("arch.yaml", kNodes), files_.write("problem.yaml", kProduct), art}, "", true);
    ASSERT_TRUE(given) << given.error().what;
    EXPECT_EQ(given->architecture.levels[3].area_um2, 1234.5);
    EXPECT_GT(given->architecture.levels[0].area_um2, 0) << "of what the table has not";
}

// However its size is told.
TEST_F(Nodes, EstimatesAreOfTheWholeMemory) {
    const auto read_pj = [this](const std::string& size) {
        std::string nodes = kNodes;
        const std::string depth = "depth: 1024, width: 64";
        nodes.replace(nodes.find(depth), depth.size(), size + ", width: 64");
        const Result<Specification> given = read(nodes);
        EXPECT_TRUE(given) << given.error().what;
        return given ? given->architecture.levels[3].read_pj : -1;
    };
    EXPECT_GT(read_pj("depth: 1024"), 0);
    EXPECT_EQ(read_pj("entries: 4096"), read_pj("depth: 1024"));
    EXPECT_EQ(read_pj("sizeKB: 8"), read_pj("depth: 1024"));
}

// A problem's own dimension G is none of groups, where the architecture is a file's.
TEST_F(Nodes, GroupsOfAProblemAreItsOwn) {
    const std::string problem = files_.write("depthwise.yaml", R"(
problem:
  shape:
    name: depthwise
    dimensions: [ G, R, P ]
    data_spaces:
    - {name: Weights, projection: [ [[G]], [[R]] ]}
    - {name: Inputs, projection: [ [[G]], [[R], [P]] ]}
    - {name: Outputs, projection: [ [[G]], [[P]] ], read_write: True}
  instance: {G: 4, R: 3, P: 8}
)");
    const std::string machine = files_.write("flat.yaml", R"(
arch:
  arithmetic: {name: MACs, instances: 1, word-bits: 16}
  storage:
  - {name: Registers, entries: 64, word_bits: 16}
  - {name: DRAM, technology: DRAM, word_bits: 16}
)");
    const Result<Specification> given = read_specification({machine, problem}, "", true);
    EXPECT_TRUE(given) << given.error().what;
}

TEST_F(Nodes, ConstraintsOfComponentsHold) {
    const Result<Specification> given = read(kNodes);
    ASSERT_TRUE(given) << given.error().what;
    const std::vector<map::LevelRules>& rules = given->constraints.levels;
    EXPECT_EQ(rules[1].keep, 1U);
    EXPECT_EQ(rules[1].bypass, 6U);
    EXPECT_EQ(rules[0].keep, 6U);
    EXPECT_EQ(rules[0].bypass, 1U);
    EXPECT_EQ(rules[1].in_time[0].exactly, 1);
    for (int dimension = 0; dimension < 4; ++dimension)
        EXPECT_EQ(rules[2].in_time[dimension].exactly, 1) << "the level that spreads has no loops in time";
    // As Timeloop's front end has it: what is 1 anyway stands first, and the split counts it.
    EXPECT_THAT(rules[2].across_order, ElementsAre(3, 2, 0, 1));
    EXPECT_EQ(rules[2].split, 1U);
}

TEST_F(Nodes, AMappingNamesContainers) {
    std::string text = kNodes;
    text += R"(
mapping:
- {target: DRAM, type: temporal, factors: [C=2], permutation: [K, C, P, R]}
- {target: PE, type: spatial, factors: [C=2, K=4], permutation: [K, C, P, R], split: 1}
- {target: Buffer, type: temporal, factors: [K=2, C=2, P=16]}
)";
    const Result<Specification> given = read(text, false);
    ASSERT_TRUE(given) << given.error().what;
    ASSERT_TRUE(given->mapping);
    EXPECT_EQ(given->mapping->levels[1].kept & 7U, 1U);
    EXPECT_EQ(given->mapping->levels[0].kept & 7U, 6U);
    EXPECT_TRUE(map::evaluate(given->problem, given->architecture, *given->mapping));
}

TEST_F(Nodes, ConstraintsInListsAddToThem) {
    std::string text = kNodes;
    text += R"(
mapspace_constraints:
  version: 0.4
  targets:
  - {target: PE, type: spatial, factors: [K<=4]}
  - {target: Buffer, type: temporal, no_iteration_over_dataspaces: [Weights]}
  - {target: DRAM, type: temporal, factors_only: [P=2]}
  - {target: Buffer, type: dataspace, bypass_only: [Outputs]}
)";
    const Result<Specification> given = read(text);
    ASSERT_TRUE(given) << given.error().what;
    const std::vector<map::LevelRules>& rules = given->constraints.levels;
    EXPECT_EQ(rules[2].across[0].at_most, 4);
    EXPECT_EQ(rules[2].across[2].exactly, 1);
    EXPECT_EQ(rules[3].in_time[0].exactly, 1);
    EXPECT_EQ(rules[3].in_time[1].exactly, 1);
    EXPECT_EQ(rules[3].in_time[2].exactly, 0);
    EXPECT_EQ(rules[4].in_time[0].exactly, 1);
    EXPECT_EQ(rules[4].in_time[2].exactly, 2);
    EXPECT_EQ(rules[3].keep, 3U);
    EXPECT_EQ(rules[3].bypass, 4U);
}

TEST_F(Nodes, SayWhatIsWrongAndWhere) {
    EXPECT_THAT(refusal(with("class: regfile", "class: register")),
                HasSubstr("line 24: weights: the class 'register'"));
    EXPECT_THAT(refusal(with("depth: 1024", "depth: 1024 *")),
                HasSubstr("'1024 *' does not evaluate: it ends too early"));
    EXPECT_THAT(refusal(with("\"LPDDR4\"", "LPDDR4")),
                HasSubstr("'LPDDR4' is not defined | define what it uses, or "
                          "write \"LPDDR4\""));
    EXPECT_THAT(refusal(with("2 * 4", "nothing")), HasSubstr("CHANNELS: 'nothing' does not evaluate"));
    EXPECT_THAT(refusal(with("2 ** 2", "2.5")), HasSubstr("'2.5' is not a whole number"));
    EXPECT_THAT(refusal(with("2 ** 2", "2 ** 40")), HasSubstr("is not possible"));
    EXPECT_THAT(refusal(with("!Nothing", "!Something {name: x}")),
                HasSubstr("no node of the kind !Something"));
    EXPECT_THAT(refusal(with("- !Nothing", "- {name: x}")), HasSubstr("a node needs a tag"));
    EXPECT_THAT(refusal(with("name: rest", "name: weights")), HasSubstr("two nodes are called weights"));
    EXPECT_THAT(refusal(with("keep_only: [Inputs, Outputs]", "keep_only: [Inputs]")),
                HasSubstr("no branch of this !Parallel keeps Outputs"));
    EXPECT_THAT(refusal(with("keep_only: [Inputs, Outputs]", "keep: [Inputs, Outputs, Weights]")),
                HasSubstr("two branches of this !Parallel keep Weights"));
    EXPECT_THAT(refusal(with("keep: [Weights]", "keep: [Weight]")), HasSubstr("no data space 'Weight'"));
    EXPECT_THAT(refusal(with("factors: [P=1]", "no_reuse: [Weights]")),
                HasSubstr("'no_reuse' is not supported"));
    EXPECT_THAT(refusal(with("class: intmac", "class: SRAM")), HasSubstr("need a component that computes"));
    EXPECT_THAT(refusal(with("class: nonsense, enabled: false", "class: mac")),
                HasSubstr("behind the compute units"));
    EXPECT_THAT(refusal(with("split: 1", "split: 1, maximize_dims: [[K]]")),
                HasSubstr("'maximize_dims' is not supported"));
}

}  // namespace
}  // namespace opsight::importer::timeloop
