#include "import/timeloop/specification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_files.h"
#include "import/timeloop/architectures.h"
#include "import/timeloop/tree.h"
#include "map/analysis.h"
#include "map/search.h"

namespace opsight::importer::timeloop {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kProblem = R"(
problem:
  shape:
    name: conv1d
    dimensions: [ K, R, P ]
    coefficients: [ {name: Stride, default: 2} ]
    data_spaces:
    - {name: Weights, projection: [ [[K]], [[R]] ]}
    - {name: Inputs, projection: [ [[R], [P, Stride]] ]}
    - {name: Outputs, projection: [ [[K]], [[P]] ], read_write: True}
  instance: {K: 4, R: 3, P: 8}
)";
constexpr const char* kFlat = R"(
arch:
  arithmetic: {name: MACs, instances: 4, meshX: 2, word-bits: 16}
  storage:
  - {name: Registers, instances: 4, meshX: 2, entries: 64, word_bits: 16, read_bandwidth: 2}
  - {name: Buffer, sizeKB: 1, block-size: 4, word_bits: 16}
  - {name: DRAM, technology: DRAM, word_bits: 16}
)";
constexpr const char* kNested = R"(
architecture:
  version: '0.4'
  subtree:
  - name: system
    local:
    - {name: "DRAM[1..1]", class: LPDDR_DRAM, attributes: {width: 64, datawidth: 16}}
    - {name: "spread[1..1]", class: dummy_storage, attributes: {width: 1, depth: 1, datawidth: 2}}
    subtree:
    - name: PE[0..3]
      local:
      - {name: Registers, class: regfile, attributes: {depth: 16, width: 32, datawidth: 16, multiple_buffering: 2}}
      - {name: MACs, class: intmac, attributes: {datawidth: 8}}
ERT:
  tables:
  - name: system.DRAM[1..1]
    actions: [ {name: read, energy: 512}, {name: write, energy: 500} ]
  - name: system.PE.Registers[1..4]
    actions: [ {name: read, energy: 1}, {name: write, energy: 2}, {name: update, energy: 3}, {name: leak, energy: 4},
               {name: read, arguments: {data_delta: 1}, energy: 1.5} ]
  - name: system.PE.MACs[1..4]
    actions: [ {name: compute, energy: 0.25} ]
ART:
  tables: [ {name: "system.PE.Registers[1..4]", area: 10}, {name: "system.PE.MACs[1..4]", area: 7} ]
)";

class Specifications : public ::testing::Test {
  protected:
    Result<Specification> read(const std::vector<std::string>& texts, const std::string& mapping = {}) {
        std::vector<std::string> files;
        for (const std::string& text : texts)
            files.push_back(files_.write("part" + std::to_string(files.size()) + ".yaml", text));
        return read_specification(files, mapping.empty() ? "" : files_.write("mapping", mapping));
    }
    std::string refusal(const std::vector<std::string>& texts, const std::string& mapping = {}) {
        const Result<Specification> result = read(texts, mapping);
        return result ? "accepted" : result.error().place + ": " + result.error().what;
    }

    opsight::testing::TempFolder files_;
};

TEST_F(Specifications, ReadsAFlatArchitecture) {
    const Result<Specification> result = read({kProblem, kFlat});
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->problem.computes(), 96);
    EXPECT_EQ(result->problem.spaces[1].axes[0][1].coefficient, 2);
    EXPECT_TRUE(result->problem.spaces[2].written);
    const map::Architecture& architecture = result->architecture;
    ASSERT_EQ(architecture.levels.size(), 3);
    EXPECT_EQ(architecture.levels[0].mesh.x, 2);
    EXPECT_EQ(architecture.levels[0].read_bandwidth, 2);
    EXPECT_EQ(architecture.levels[1].capacity, 512);
    EXPECT_EQ(architecture.levels[1].block, 4);
    EXPECT_NEAR(architecture.levels[1].read_pj, (1 + 0.5 * 5 / 99.5) * 4, 1e-9);
    EXPECT_FALSE(architecture.levels[2].capacity);
    EXPECT_EQ(architecture.levels[2].read_pj, 200);
    EXPECT_EQ(architecture.compute.compute_pj, 1);
    EXPECT_FALSE(result->mapping);
}

TEST_F(Specifications, EachBuiltInArchitectureRunsALayer) {
    const std::string layer =
        files_.write("layer.yaml", "problem: {N: 1, C: 16, K: 32, P: 14, Q: 14, R: 3, S: 3}");
    ASSERT_GE(shipped_architectures().size(), 3U);
    for (const ShippedArchitecture& each : shipped_architectures()) {
        SCOPED_TRACE(each.name);
        EXPECT_FALSE(each.title().empty());
        const Result<Specification> given = read_specification({layer}, "", true, std::string(each.name));
        ASSERT_TRUE(given) << given.error().message();
        EXPECT_THAT(given->architecture.unread, ElementsAre());
        map::SearchSettings settings;
        settings.budget = settings.samples = 5000;
        const auto found = map::search(given->problem, given->architecture, given->constraints, settings);
        ASSERT_TRUE(found) << found.error().message();
        EXPECT_GT(found->evaluation.utilization, 0);
    }
    const Result<Specification> unknown = read_specification({layer}, "", true, "nothing");
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().message(), HasSubstr("no architecture 'nothing'"));
}

// A convolution whose channels out have that name.
std::string convolution_of(const std::string& out) {
    return "problem:\n  shape:\n    dimensions: [N, C, " + out + R"(, P, Q, R, S]
    data_spaces:
    - {name: Weights, projection: [[[C]], [[)" +
           out + R"(]], [[R]], [[S]]]}
    - {name: Inputs, projection: [[[N]], [[C]], [[R], [P]], [[S], [Q]]]}
    - {name: Outputs, projection: [[[N]], [[)" +
           out + R"(]], [[P]], [[Q]]], read_write: true}
  instance: {N: 1, C: 16, )" +
           out + ": 32, P: 14, Q: 14, R: 3, S: 3}\n";
}

TEST_F(Specifications, WhatIsBuiltInTakesChannelsNamedAsTimeloop04Does) {
    const std::string k = files_.write("k.yaml", convolution_of("K")),
                      m = files_.write("m.yaml", convolution_of("M"));
    for (const ShippedArchitecture& each : shipped_architectures()) {
        SCOPED_TRACE(each.name);
        map::SearchSettings settings;
        settings.budget = settings.samples = 2000;
        std::vector<double> energies;
        for (const std::string& file : {k, m}) {
            const Result<Specification> given = read_specification({file}, "", true, std::string(each.name));
            ASSERT_TRUE(given) << given.error().message();
            const auto found = map::search(given->problem, given->architecture, given->constraints, settings);
            ASSERT_TRUE(found) << found.error().message();
            energies.push_back(found->evaluation.energy_pj);
        }
        EXPECT_EQ(energies[0], energies[1]);
    }
    const std::string other = files_.write("other.yaml", convolution_of("Channels"));
    const Result<Specification> refused = read_specification({other}, "", true, "eyeriss");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("dimensions N C K (or M) P Q R S"));
}

TEST_F(Specifications, ReadsConstraintsForASearch) {
    const Result<Specification> result =
        read_specification({files_.write("a", kProblem), files_.write("b", kFlat), files_.write("c", R"(
mapspace:
  constraints: mine
  constraints_other: [ {target: nowhere, type: temporal} ]
  constraints_mine:
  - {target: Registers, type: temporal, factors: "K0 R<=2 P9", permutation: RK}
  - {target: Buffer, type: spatial, permutation: KRP, split: 1}
  - {target: Buffer, type: datatype, keep: [Inputs], bypass: [Weights]}
)")},
                           "", true);
    ASSERT_TRUE(result) << result.error().message();
    const std::vector<map::LevelRules>& levels = result->constraints.levels;
    ASSERT_EQ(levels.size(), 3);
    EXPECT_EQ(levels[0].in_time[0].exactly, 4);  // 0: all of it
    EXPECT_EQ(levels[0].in_time[1].at_most, 2);
    EXPECT_EQ(levels[0].in_time[2].exactly, 8);  // of 9 there are 8
    EXPECT_THAT(levels[0].order, ElementsAre(1, 0));
    EXPECT_EQ(levels[1].split, 1U);
    EXPECT_EQ(levels[1].keep, 2U);
    EXPECT_EQ(levels[1].bypass, 1U);
}

TEST_F(Specifications, RefusesConstraintsThatItDoesNotKnow) {
    const auto refusal = [this](const char* constraint) {
        const auto result = read_specification(
            {files_.write("a", kProblem), files_.write("b", kFlat),
             files_.write("c", std::string("mapspace_constraints: {targets: [ {") + constraint + "} ]}")},
            "", true);
        return result ? "accepted" : result.error().place + ": " + result.error().what;
    };
    EXPECT_THAT(refusal("target: Buffer, type: utilization"), HasSubstr("'utilization' are not supported"));
    EXPECT_THAT(refusal("target: Buffer, type: temporal, min: 2"), HasSubstr("'min' is not supported"));
    EXPECT_THAT(refusal("target: Cache, type: temporal"), HasSubstr("line 1: the architecture has no level"));
    EXPECT_THAT(refusal("target: Buffer, type: temporal, factors: Z3"), HasSubstr("no dimension 'Z'"));
    EXPECT_THAT(refusal("target: Buffer, type: bypass, keep: [Z]"), HasSubstr("no data space 'Z'"));
}

TEST_F(Specifications, ReadsANestedArchitectureWithItsTables) {
    const Result<Specification> result = read({kProblem, kNested});
    ASSERT_TRUE(result) << result.error().message();
    const map::Architecture& architecture = result->architecture;
    ASSERT_EQ(architecture.levels.size(), 3);
    const map::Level& registers = architecture.levels[0];
    EXPECT_EQ(registers.mesh.instances(), 4);
    EXPECT_EQ(registers.capacity, 32);
    EXPECT_EQ(map::room(registers), 16);
    EXPECT_EQ(registers.block, 2);
    EXPECT_THAT((std::vector<double>{registers.read_pj, registers.write_pj, registers.update_pj,
                                     registers.leak_pj, registers.area_um2}),
                ElementsAre(1.5, 2, 3, 4, 10));
    EXPECT_TRUE(architecture.levels[1].dummy);
    EXPECT_TRUE(architecture.levels[2].dram);
    EXPECT_EQ(architecture.levels[2].update_pj, 500);
    EXPECT_EQ(architecture.compute.compute_pj, 0.25);
    EXPECT_EQ(architecture.compute.area_um2, 7);
}

TEST_F(Specifications, AProblemWithoutAShapeIsAConvolution) {
    const Result<Specification> result =
        read({"problem: {N: 1, C: 2, K: 3, P: 4, Q: 4, R: 3, S: 3, Wstride: 2}", kFlat});
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->problem.computes(), 2 * 3 * 16 * 9);
    const std::vector<int64_t> whole{3, 3, 4, 4, 2, 3, 1};
    EXPECT_EQ(map::tile_size(result->problem.spaces[1], whole.data()), 2 * 9 * 6);
}

constexpr const char* kMapping = R"(
mapping:
- {target: Registers, type: temporal, factors: R=3 P0, permutation: RPK}
- {target: Buffer, type: spatial, factors: "K2, P=2", permutation: K P, split: 1}
- {target: DRAM, type: temporal, factors: [K=2, P=1], permutation: [P, K, R]}
- {target: Buffer, type: dataspace, keep: [Inputs], bypass: [Weights, Outputs]}
)";
constexpr const char* kNest = R"(
DRAM [ Weights:12 (12) Inputs:17 (17) Outputs:32 (32) ]
-------------------------------------------------------
| for K in [0:2)
Buffer [ Inputs:17 (17) ]
|   for P in [0:2) (Spatial-Y)
|     for K in [0:2) (Spatial-X)
Registers [ Weights:3 (3) Inputs:9 (9) Outputs:4 (4) ]
|       for P in [0:4)
|         for R in [0:3)
|           << Compute >>
)";

TEST_F(Specifications, ReadsAMappingAndItsLoopNest) {
    Result<Specification> result = read({kProblem, kFlat, kMapping});
    ASSERT_TRUE(result) << result.error().message();
    ASSERT_TRUE(result->mapping);
    using map::Across;
    EXPECT_THAT(result->mapping->levels[0].loops,
                ElementsAre(map::Loop{1, 3, Across::kTime}, map::Loop{2, 4, Across::kTime}));
    EXPECT_THAT(result->mapping->levels[1].loops,
                ElementsAre(map::Loop{0, 2, Across::kX}, map::Loop{2, 2, Across::kY}));
    EXPECT_FALSE(result->mapping->levels[1].keeps(0));
    EXPECT_TRUE(result->mapping->levels[1].keeps(1));
    const Result<Specification> nest = read({kProblem, kFlat}, kNest);
    ASSERT_TRUE(nest) << nest.error().message();
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(nest->mapping->levels[i].loops, result->mapping->levels[i].loops);
        for (size_t space = 0; space < 3; ++space)
            EXPECT_EQ(nest->mapping->levels[i].keeps(space), result->mapping->levels[i].keeps(space));
    }
    // And what we print is such a loop nest.
    const std::string printed = map::loop_nest(*nest->mapping, nest->architecture, nest->problem);
    const Result<Specification> again = read({kProblem, kFlat}, printed);
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(*again->mapping, *nest->mapping);
}

TEST_F(Specifications, TheLaterFileGoes) {
    const Result<Specification> result =
        read({kProblem, kFlat, "problem: {N: 1, C: 2, K: 3, P: 4, Q: 4, R: 3, S: 3}"});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->problem.dimensions.size(), 7);
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

TEST_F(Specifications, SaysWhereAFileIsWrong) {
    EXPECT_THAT(refusal({kProblem}), HasSubstr("no architecture is given"));
    EXPECT_THAT(refusal({kFlat}), HasSubstr("no problem is given"));
    EXPECT_THAT(refusal({changed(kProblem, "P: 8", "Q: 8"), kFlat}), HasSubstr("how large dimension P is"));
    EXPECT_THAT(refusal({changed(kProblem, "P: 8", "P: 8.5"), kFlat}),
                HasSubstr("line 11: '8.5' is not a whole"));
    EXPECT_THAT(refusal({changed(kProblem, "P: 8", "P: -8"), kFlat}), HasSubstr("dimension P is -8"));
    EXPECT_THAT(refusal({changed(kProblem, "[R], [P", "[R], [X"), kFlat}),
                HasSubstr("line 9: there is no dimension 'X'"));
    EXPECT_THAT(refusal({changed(kProblem, "K: 4,", "K: 4, K: 5,"), kFlat}),
                HasSubstr("the key 'K' is there twice"));
    EXPECT_THAT(refusal({kProblem, changed(kFlat, "sizeKB: 1, ", "")}), HasSubstr("Buffer needs a size"));
    EXPECT_THAT(refusal({kProblem, changed(kFlat, "meshX: 2, e", "meshX: 3, e")}),
                HasSubstr("line 5: Registers: 4 instances are not a mesh of 3 by 0"));
    EXPECT_THAT(refusal({kProblem, changed(kFlat, "bandwidth: 2", "bandwidth: 0")}), HasSubstr("above 0"));
    EXPECT_THAT(refusal({kProblem, changed(kNested, "width: 64", "width: 65")}),
                HasSubstr("is not a multiple"));
    EXPECT_THAT(refusal({kProblem, changed(kNested, "PE[0..3]", "PE[0..x]")}),
                HasSubstr("'PE[0..x]' is not a name"));
    EXPECT_THAT(refusal({kProblem, changed(kNested, "energy: 512", "energy: -1")}),
                HasSubstr("action read needs"));
    EXPECT_THAT(refusal({kProblem, changed(kNested, "multiple_buffering: 2", "allow_overbooking: true")}),
                HasSubstr("allow_overbooking is not supported"));
    EXPECT_THAT(refusal({"a: [b", kFlat}), HasSubstr("not YAML"));
    EXPECT_THAT(refusal({"- a", kFlat}), HasSubstr("a map of parts was expected"));
    const auto mapped = [this](const char* from, const char* to) {
        return refusal({kProblem, kFlat, changed(kMapping, from, to)});
    };
    EXPECT_THAT(mapped("target: DRAM", "target: Flash"),
                HasSubstr("line 5: the architecture has no level 'Flash'"));
    EXPECT_THAT(mapped("type: spatial", "type: diagonal"),
                HasSubstr("'diagonal' is not a part of a mapping"));
    EXPECT_THAT(mapped("R=3 P0", "'R=3 P=3,1'"), HasSubstr("'1' is not a factor"));
    EXPECT_THAT(mapped("factors: R", "factor: R"), HasSubstr("has no 'factor'"));
    EXPECT_THAT(mapped("R=3 P0", "R=3 X2"), HasSubstr("there is no dimension 'X'"));
    EXPECT_THAT(mapped("R=3 P0", "R<=3"), HasSubstr("exact factors"));
    EXPECT_THAT(mapped("[Inputs]", "[Input]"), HasSubstr("there is no data space 'Input'"));
    EXPECT_THAT(refusal({kProblem, kFlat}, changed(kNest, "[0:3)", "[0:3,2)")),
                HasSubstr("line 10: a loop to a whole"));
    EXPECT_THAT(refusal({kProblem, kFlat}, changed(kNest, "Buffer", "Bluffer")),
                HasSubstr("no level 'Bluffer'"));
    EXPECT_THAT(refusal({kProblem, kFlat}, "nothing"), HasSubstr("no level of the architecture is in it"));
}

// Accelergy takes any attribute, and people keep what expressions use there.
TEST_F(Specifications, AttributesThatChangeNoNumberAreTold) {
    const auto unread = [this](std::string architecture) {
        const Result<Specification> result = read({kProblem, std::move(architecture)});
        EXPECT_TRUE(result) << result.error().message();
        return result ? result->architecture.unread : std::vector<std::string>();
    };
    EXPECT_THAT(unread(kFlat), ElementsAre());
    EXPECT_THAT(unread(kNested), ElementsAre());
    EXPECT_THAT(unread(changed(kFlat, "block-size: 4", "block-size: 4, bandwidth: 16")),
                ElementsAre(AllOf(HasSubstr("'bandwidth' ("), HasSubstr("part1.yaml, line 6)"))));
    const std::string classes =
        "\ncompound_components: {version: '0.4', classes: [ {name: mine, attributes: {bandwidth: 1}} ]}\n";
    EXPECT_THAT(unread(changed(kNested, "multiple_buffering: 2", "bandwidth: 2") + classes), ElementsAre());
    const std::string nodes =
        "architecture:\n  version: '0.4'\n  nodes:\n"
        "  - !Component {name: DRAM, class: DRAM, attributes: {width: 64, datawidth: 16}}\n"
        "  - !Component {name: MACs, class: intmac, attributes: {bits: 4, mine: 3, width: 2 * bits, "
        "datawidth: 8}}\n";
    EXPECT_THAT(unread(nodes), ElementsAre(HasSubstr("'mine' (")));
}

TEST_F(Specifications, NamesTheLineOfWhatDoesNotFit) {
    EXPECT_THAT(refusal({changed(kProblem, "P: 8", "P: 8, Q: 3"), kFlat}),
                HasSubstr("line 11: there is no dimension 'Q' and no coefficient"));
    EXPECT_THAT(refusal({changed(kProblem, "K: 4, R: 3, P: 8", "K: 2000000000, R: 3, P: 2000000000"), kFlat}),
                HasSubstr("line 11: the problem has too many steps"));
    EXPECT_THAT(refusal({kProblem, changed(kFlat, "block-size", "blok-size")}),
                HasSubstr("line 6: Buffer has an unknown attribute 'blok_size'"));
    EXPECT_EQ(refusal({changed(kProblem, "P: 8", "P: 8, Q: 1"), kFlat}), "accepted");
    const auto meant = read({kProblem, changed(kNested, "width: 32, datawidth", "width: 32, data_width")});
    ASSERT_FALSE(meant);
    EXPECT_THAT(meant.error().remedy, HasSubstr("write datawidth, or"));
    EXPECT_THAT(refusal({kProblem, changed(kNested, "multiple_buffering", "multipleBufering")}),
                HasSubstr("line 12: Registers has an unknown attribute 'multipleBufering'"));
    EXPECT_EQ(refusal({kProblem, changed(kNested, "multiple_buffering", "of_my_own")}), "accepted");
    const auto mapped = [this](const char* from, const char* to) {
        return refusal({kProblem, kFlat, changed(kMapping, from, to)});
    };
    EXPECT_THAT(mapped("factors: [K=2", "factors: [K=1"), HasSubstr("line 4: the loops over K take 2 steps"));
    EXPECT_THAT(mapped("R=3 P0", "R=3 P=8"), HasSubstr("line 4: the loops over P take more steps"));
    EXPECT_THAT(mapped("split: 1", "split: 2"), HasSubstr("line 4: below Buffer there are 2x2 instances"));
    EXPECT_THAT(refusal({kProblem, kFlat}, changed(kNest, "[0:3)", "[0:2)")),
                HasSubstr("line 10: the loops over R take 2 steps"));
}

TEST_F(Specifications, ErrorsOfTheModelGetTheLineOfWhatTheyName) {
    const Result<Specification> result =
        read({kProblem, changed(kFlat, "entries: 64", "entries: 1"), kMapping});
    ASSERT_TRUE(result) << result.error().message();
    const auto cost = map::evaluate(result->problem, result->architecture, *result->mapping);
    ASSERT_FALSE(cost);
    const Error error = result->located(cost.error());
    EXPECT_THAT(error.message(), HasSubstr("part1.yaml: line 5: the tiles at Registers take"));
    EXPECT_THAT(error.remedy, HasSubstr("give it more room"));
    const auto search = [this](const char* constraints) {
        const auto given = read_specification(
            {files_.write("a", kProblem), files_.write("b", changed(kFlat, "entries: 64", "entries: 20")),
             files_.write("c", constraints)},
            "", true);
        if (!given) return given.error().message();
        const auto found = map::search(given->problem, given->architecture, given->constraints, {});
        return found ? "found" : given->located(found.error()).message();
    };
    EXPECT_THAT(
        search("mapspace_constraints: {targets: [ {target: Registers, type: temporal, factors: K4 R3 P8},\n"
               "{target: Registers, type: bypass, keep: [Weights, Inputs, Outputs]} ]}"),
        HasSubstr("b: line 5: no mapping fits: the smallest tiles that Registers must keep take"));
    EXPECT_THAT(search("mapspace_constraints: {targets: [ {target: Registers, type: temporal, factors: K4},\n"
                       "{target: DRAM, type: temporal, factors: K2} ]}"),
                HasSubstr("c: line 2: no factors of dimension K"));
}

TEST_F(Specifications, ErrorsOfASearchNameTheFileThatIsToBeChanged) {
    const auto search = [this](std::string problem, const char* constraints) {
        const auto given = read_specification(
            {files_.write("a", problem), files_.write("b", kFlat), files_.write("c", constraints)}, "", true);
        if (!given) return given.error().message();
        const auto found = map::search(given->problem, given->architecture, given->constraints, {});
        return found ? "found" : given->located(found.error()).message();
    };
    EXPECT_THAT(search(changed(kProblem, "K: 4", "K: 2000000000000"), "mapspace_constraints: {targets: []}"),
                HasSubstr("a: line 11: dimension K is too large"));
    EXPECT_THAT(search(kProblem,
                       "mapspace_constraints: {targets: [\n"
                       "{target: Registers, type: temporal, factors: K1},\n"
                       "{target: Buffer, type: temporal, factors: K1},\n"
                       "{target: Buffer, type: spatial, factors: K1},\n"
                       "{target: DRAM, type: temporal, factors: K1} ]}"),
                HasSubstr("c: line 2: no factors of dimension K"));
    EXPECT_THAT(search(kProblem,
                       "mapspace_constraints: {targets: [\n"
                       "{target: Buffer, type: bypass, keep: [Weights], bypass: [Weights]} ]}"),
                HasSubstr("c: line 2: level Buffer must keep what it must not keep"));
    Specification nothing;
    EXPECT_EQ(nothing.located(Error{"what", {}, "dimension K", {}}).message(), "what");
}

TEST_F(Specifications, LoopsInTimeAndAcrossAreTwoPlaces) {
    const std::string time = "- {target: Buffer, type: temporal, factors: P=4}\n";
    const std::string across = "- {target: Buffer, type: spatial, factors: K=4, split: 3}\n";
    const std::string rest = "- {target: DRAM, type: temporal, factors: R=3 P=2}\n";
    EXPECT_THAT(refusal({kProblem, kFlat, "mapping:\n" + time + across + rest}),
                HasSubstr("line 3: below Buffer there are 2x2"));
    EXPECT_THAT(refusal({kProblem, kFlat, "mapping:\n" + across + time + rest}),
                HasSubstr("line 2: below Buffer there are 2x2"));
    const std::string much = "- {target: Buffer, type: temporal, factors: P=9}\n";
    const std::string two = "- {target: Buffer, type: spatial, factors: K=2}\n";
    EXPECT_THAT(refusal({kProblem, kFlat, "mapping:\n" + much + two + rest}),
                HasSubstr("line 2: level Buffer takes 9 steps over P"));
    EXPECT_THAT(refusal({kProblem, kFlat, "mapping:\n" + two + much + rest}),
                HasSubstr("line 3: level Buffer takes 9 steps over P"));
}

TEST(TimeloopTree, SmallFilesDoNotGrow) {
    std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
    for (char name = 'b'; name < 'k'; ++name) {
        bomb += std::string(1, name) + ": &" + name + " [";
        for (int i = 0; i < 10; ++i)
            bomb += std::string(i ? ", *" : "*") + static_cast<char>(name - 1);
        bomb += "]\n";
    }
    const Result<Tree> grown = parse_yaml(bomb, "bomb.yaml");
    ASSERT_FALSE(grown);
    EXPECT_THAT(grown.error().message(), HasSubstr("bomb.yaml: line"));
    const Result<Tree> deep = parse_yaml(std::string(100, '[') + std::string(100, ']'), "deep.yaml");
    ASSERT_FALSE(deep);
    EXPECT_THAT(deep.error().what, HasSubstr("deeper than 64"));
    EXPECT_FALSE(parse_yaml(std::string(100000, '['), "deeper.yaml"));
}

TEST(TimeloopTree, TextBehindADocumentEnds) {
    for (const char* text : {"{a: 1} b: 2", "{a: 1}\n,\"b\":[{", "a: 1\n---\nb: 2\n"}) {
        const Result<Tree> tree = parse_yaml(text, "more.yaml");
        ASSERT_FALSE(tree) << text;
        EXPECT_THAT(tree.error().message(), HasSubstr("more.yaml: "));
    }
    EXPECT_THAT(parse_yaml("a: 1\n---\nb: 2\n", "more.yaml").error().message(),
                HasSubstr("more.yaml: line 2: several YAML documents"));
    EXPECT_TRUE(parse_yaml("", "empty.yaml"));
}

TEST(TimeloopTree, MergesWhatIsNotWritten) {
    const Result<Tree> tree =
        parse_yaml("base: &b {x: 1, y: 2}\nown: {<<: *b, y: 3, tag: !Kind {}}\n", "m.yaml");
    ASSERT_TRUE(tree) << tree.error().message();
    const Tree* own = tree->find("own");
    EXPECT_EQ(own->find("x")->text, "1");
    EXPECT_EQ(own->find("y")->text, "3");
    EXPECT_EQ(own->find("tag")->tag, "!Kind");
}

}  // namespace
}  // namespace opsight::importer::timeloop
