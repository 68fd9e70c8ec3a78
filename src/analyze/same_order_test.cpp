#include "analyze/same_order.h"

#include <gtest/gtest.h>

namespace opsight::analyze {
namespace {

Sequence of(const std::vector<uint32_t>& names, int64_t first_number = -1) {
    Sequence out{names, {}};
    for (size_t i = 0; i < names.size(); ++i)
        out.numbers.push_back(first_number < 0 ? -1 : first_number + static_cast<int64_t>(i));
    return out;
}

std::vector<uint32_t> times(size_t count, std::vector<uint32_t> names) {
    std::vector<uint32_t> out;
    for (size_t i = 0; i < count; ++i)
        out.insert(out.end(), names.begin(), names.end());
    return out;
}

// "thread here there length", or why not.
std::string find(const Sequence& calls, const std::vector<Sequence>& threads) {
    const FoundPlace found = find_place(calls, threads);
    if (!found.place) return found.why;
    const Place& p = *found.place;
    return std::to_string(p.thread) + " " + std::to_string(p.here) + " " + std::to_string(p.there) + " " +
           std::to_string(p.length);
}

TEST(SameOrder, TheOnePlace) {
    EXPECT_EQ(find(of({1, 2}), {of({3}), of({4, 1, 2, 5})}), "1 0 1 2");
    EXPECT_EQ(find(of({1, 2}), {of({2, 1, 1, 3, 2})}), "fit nowhere in the trace");
    EXPECT_EQ(find(of({1, 2}), {}), "fit nowhere in the trace");
}

TEST(SameOrder, SeveralPlacesAreNone) {
    EXPECT_EQ(find(of({1, 2}), {of({1, 2, 3, 1, 2})}), "fit in 2 places of the trace alike");
    EXPECT_EQ(find(of({1, 2}), {of({1, 2}), of({1, 2})}), "fit in 2 places of the trace alike");
}

TEST(SameOrder, NumbersTellWhich) {
    const std::vector<uint32_t> step = times(10, {1, 2});
    EXPECT_EQ(find(of(step, 120), {of(times(3, step), 100)}), "0 0 20 20");
    EXPECT_EQ(find(of(step, 500), {of(times(3, step), 100)}),
              "stand in the trace with other numbers of autograd: another run");
    EXPECT_EQ(find(of({1, 2}, 7), {of({1, 2}, 9)}),
              "stand in the trace with other numbers of autograd: another run");
}

// The execution trace began before, or ends after the other.
TEST(SameOrder, WhereOnlyAPartIsInTheTrace) {
    std::vector<uint32_t> names;
    for (uint32_t i = 0; i < 40; ++i)
        names.push_back(i);
    const std::vector<uint32_t> first(names.begin(), names.begin() + 30),
        last(names.begin() + 10, names.end()), middle(names.begin() + 10, names.begin() + 30);
    EXPECT_EQ(find(of(first, 100), {of(last, 110)}), "0 10 0 20");
    EXPECT_EQ(find(of(last, 110), {of(first, 100)}), "0 0 10 20");
    EXPECT_EQ(find(of(first), {of(last)}), "fit nowhere in the trace") << "nothing confirms it";
    EXPECT_EQ(find(of(names), {of(middle)}), "0 10 0 20") << "all of the trace's thread";
    EXPECT_EQ(find(of(names), {of({12, 13})}), "fit nowhere in the trace") << "too short to say";
}

TEST(SameOrder, AgreesWithASearchByHand) {
    uint32_t state = 7;
    const auto random = [&](uint32_t below) {
        return (state = state * 1664525 + 1013904223) / 65536 % below;
    };
    for (int round = 0; round < 500; ++round) {
        std::vector<uint32_t> calls(1 + random(4)), thread(random(30));
        for (uint32_t& name : calls)
            name = random(3);
        for (uint32_t& name : thread)
            name = random(3);
        std::vector<size_t> places;
        for (size_t at = 0; at + calls.size() <= thread.size(); ++at)
            if (std::equal(calls.begin(), calls.end(), thread.begin() + static_cast<std::ptrdiff_t>(at)))
                places.push_back(at);
        const std::string want =
            places.empty()      ? "fit nowhere in the trace"
            : places.size() > 1 ? "fit in " + std::to_string(places.size()) + " places of the trace alike"
                                : "0 0 " + std::to_string(places[0]) + " " + std::to_string(calls.size());
        ASSERT_EQ(find(of(calls), {of(thread)}), want);
    }
}

}  // namespace
}  // namespace opsight::analyze
