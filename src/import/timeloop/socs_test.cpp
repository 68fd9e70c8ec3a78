#include "import/timeloop/socs.h"

#include <gtest/gtest.h>

namespace opsight::importer::timeloop {
namespace {

void expect_wrong(const std::string& text, const std::string& said, const std::string& place) {
    const Result<Soc> soc = read_soc_text(text, "a.yaml");
    ASSERT_FALSE(soc.has_value()) << text;
    EXPECT_NE(soc.error().what.find(said), std::string::npos) << soc.error().what;
    EXPECT_EQ(soc.error().file, "a.yaml");
    EXPECT_EQ(soc.error().place, place) << soc.error().what;
    EXPECT_NE(soc.error().remedy, "") << soc.error().what;
}

TEST(Socs, ThoseThatAreShippedAreRead) {
    ASSERT_FALSE(shipped_socs().empty());
    for (const ShippedArchitecture& each : shipped_socs()) {
        const Result<Soc> soc = read_soc(std::string(each.name));
        ASSERT_TRUE(soc.has_value()) << soc.error().what;
        EXPECT_GE(soc->engines.size(), 2u);
        EXPECT_FALSE(each.title().empty());
    }
}

TEST(Socs, ALaterLinkGoesBeforeAnEarlierOne) {
    const Result<Soc> soc = read_soc_text(R"(soc:
  host: B
  engines: [{name: A, arch: phone-cpu, clock_hz: 1e9}, {name: B, arch: phone-gpu, clock_hz: 2e9}]
  links:
  - {bytes_per_s: 10, pj_per_byte: 3}
  - {from: B, to: A, bytes_per_s: 20, latency_s: 0.5})",
                                          "a.yaml");
    ASSERT_TRUE(soc.has_value()) << soc.error().what;
    EXPECT_EQ(soc->host, 1u);
    EXPECT_EQ(soc->engines[1].clock_hz, 2e9);
    EXPECT_EQ(soc->link(0, 1).bytes_per_s, 10);
    EXPECT_EQ(soc->link(0, 1).pj_per_byte, 3);
    EXPECT_EQ(soc->link(1, 0).bytes_per_s, 20);
    EXPECT_EQ(soc->link(1, 0).latency_s, 0.5);
}

TEST(Socs, WhatIsWrongHasItsLine) {
    const std::string a = "{name: A, arch: phone-cpu, clock_hz: 1}";
    const auto with = [](const std::string& engines, const std::string& more = {}) {
        return "soc:\n  engines: [" + engines + "]\n" + more;
    };
    expect_wrong("arch: {}", "soc was expected", "line 1");
    expect_wrong(with(""), "list of 1 to 8", "line 2");
    expect_wrong(with("{name: A, arch: nothing, clock_hz: 1}"), "no architecture 'nothing'", "line 2");
    expect_wrong(with("{name: A, arch: phone-cpu}"), "clock_hz must be a number above 0", "line 2");
    expect_wrong(with("{name: A, arch: phone-cpu, clock_hz: -1}"), "clock_hz must be", "line 2");
    expect_wrong(with("{name: A, clock_hz: 1}"), "needs arch or file", "line 2");
    expect_wrong(with("{arch: phone-cpu, clock_hz: 1}"), "has no name", "line 2");
    expect_wrong(with(a + "," + a), "two engines are called A", "line 2");
    expect_wrong(with("{name: A, arch: phone-cpu, clock_hz: 1, speed: 2}"), "'speed' is not known", "line 2");
    expect_wrong(with(a, "  host: B\n"), "no engine 'B'", "line 2");
    expect_wrong(with(a + ", {name: B, arch: phone-gpu, clock_hz: 1}"), "no link goes from A to B", "line 2");
    expect_wrong(with(a, "  links: [{from: C, bytes_per_s: 1}]\n"), "no engine 'C'", "line 3");
    expect_wrong(with(a, "  links: [{bytes_per_s: 0}]\n"), "bytes_per_s must be", "line 3");
    expect_wrong(with(a, "  links: 4\n"), "links must be a list", "line 3");
}

}  // namespace
}  // namespace opsight::importer::timeloop
