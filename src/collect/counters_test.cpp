#include "collect/counters.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <vector>

namespace opsight::collect {
namespace {

// A machine of events: files are numbers from 100 on, each with a count; leaders know their members.
struct FakeMachine {
    struct Event {
        perf_event_attr attr;
        int leader;
        uint64_t value = 0;
    };
    std::map<int, Event> events;
    std::map<uint32_t, int> problem_of_type;  // by perf_type_id
    bool kernel_refused = false;
    std::vector<int> enabled_groups;
    uint64_t enabled = 0, running = 0;
    int reads = 0, closed = 0;
    int64_t shorter = 0;  // bytes that reads lack
    perf_event_mmap_page page{};
    bool pages = false;
    uint64_t pmc = 0, tsc = 0;
};
FakeMachine* g_machine = nullptr;

int fake_open(const perf_event_attr& attr, int leader) {
    FakeMachine& m = *g_machine;
    if (const auto found = m.problem_of_type.find(attr.type); found != m.problem_of_type.end())
        return -found->second;
    if (m.kernel_refused && !attr.exclude_kernel) return -EACCES;
    const int file = 100 + static_cast<int>(m.events.size());
    m.events[file] = {attr, leader < 0 ? file : leader};
    return file;
}

ssize_t fake_read(int file, void* to, size_t bytes) {
    FakeMachine& m = *g_machine;
    ++m.reads;
    std::vector<uint64_t> all = {0, m.enabled, m.running};
    for (const auto& [number, event] : m.events)
        if (event.leader == file) all.push_back(event.value);
    all[0] = all.size() - 3;
    std::memcpy(to, all.data(), std::min(bytes, all.size() * sizeof(uint64_t)));
    return static_cast<ssize_t>(bytes) - m.shorter;
}

const perf_event_mmap_page* fake_map(int) {
    return g_machine->pages ? &g_machine->page : nullptr;
}

// A group counts when it is enabled, with all that it has then.
bool fake_enable(int leader) {
    g_machine->enabled_groups.push_back(leader);
    return true;
}

const PerfCalls kFake = {fake_open,
                         fake_enable,
                         fake_read,
                         fake_map,
                         [](const perf_event_mmap_page*) {},
                         [](int) { ++g_machine->closed; },
                         [](uint32_t) { return g_machine->pmc; },
                         [] { return g_machine->tsc; }};

uint32_t bit(CpuCounter counter) {
    return slot_bit(static_cast<size_t>(counter));
}

class CountersTest : public ::testing::Test {
  protected:
    void SetUp() override { g_machine = &machine_; }
    // By slot; kNotCounted where it is not among them.
    std::vector<uint64_t> read(ThreadCounters& counters) {
        std::vector<uint64_t> values(kCounterSlots, 0), all(kCounterSlots, kNotCounted);
        counters.read(values.data());
        size_t at = 0;
        for (size_t slot = 0; slot < kCounterSlots; ++slot)
            if (counters.mask() & slot_bit(slot)) all[slot] = values[at++];
        return all;
    }
    void set(CpuCounter counter, uint64_t value) {
        const perf_event_attr wanted = event_of(counter, false);
        for (auto& [_, event] : machine_.events)
            if (event.attr.type == wanted.type && event.attr.config == wanted.config) event.value = value;
    }
    static uint64_t of(const std::vector<uint64_t>& all, CpuCounter counter) {
        return all[static_cast<size_t>(counter)];
    }
    FakeMachine machine_;
};

TEST_F(CountersTest, GroupsAreReadTogetherEachWithItsTimes) {
    ThreadCounters counters;
    counters.open(kAllCounters, kFake);
    EXPECT_EQ(counters.mask(), kAllSlots);
    for (const auto& [file, event] : machine_.events) {
        const bool leads = event.leader == file;
        EXPECT_EQ(event.attr.disabled, leads) << file;
        EXPECT_EQ(std::count(machine_.enabled_groups.begin(), machine_.enabled_groups.end(), file), leads);
    }
    set(CpuCounter::kInstructions, 4000);
    set(CpuCounter::kTaskClock, 77);
    set(CpuCounter::kLlcLoadMisses, 5);
    machine_.enabled = 1000;
    machine_.running = 250;
    const auto all = read(counters);
    EXPECT_EQ(machine_.reads, 5);  // one for each group
    EXPECT_EQ(of(all, CpuCounter::kInstructions), 4000u);
    EXPECT_EQ(of(all, CpuCounter::kTaskClock), 77u);
    EXPECT_EQ(of(all, CpuCounter::kLlcLoadMisses), 5u);
    EXPECT_EQ(all[enabled_slot(CounterGroup::kCore)], 1000u);
    EXPECT_EQ(all[running_slot(CounterGroup::kBranches)], 250u);
    counters.close();
    EXPECT_EQ(machine_.closed, static_cast<int>(kCpuCounters));
    EXPECT_EQ(counters.mask(), 0u);
}

TEST_F(CountersTest, WithoutAPmuOnlySoftwareIsThere) {
    machine_.problem_of_type = {{PERF_TYPE_HARDWARE, ENOENT}, {PERF_TYPE_HW_CACHE, ENOENT}};
    ThreadCounters counters;
    counters.open(kAllCounters, kFake);
    EXPECT_EQ(counters.mask(),
              bit(CpuCounter::kTaskClock) | bit(CpuCounter::kPageFaults) | bit(CpuCounter::kContextSwitches));
    EXPECT_EQ(of(read(counters), CpuCounter::kCycles), kNotCounted);
    EXPECT_EQ(try_counter(CpuCounter::kCycles, kFake), -ENOENT);
    EXPECT_EQ(try_counter(CpuCounter::kTaskClock, kFake), 0);
}

// A count of switches without the kernel's part would be 0, and wrong.
TEST_F(CountersTest, WhatTheKernelHidesIsAbsent) {
    machine_.kernel_refused = true;
    ThreadCounters counters;
    counters.open(bit(CpuCounter::kTaskClock) | bit(CpuCounter::kContextSwitches) | bit(CpuCounter::kCycles),
                  kFake);
    EXPECT_FALSE(counters.mask() & bit(CpuCounter::kContextSwitches));
    EXPECT_TRUE(counters.mask() & bit(CpuCounter::kTaskClock));
    EXPECT_TRUE(counters.mask() & bit(CpuCounter::kCycles));
    EXPECT_EQ(try_counter(CpuCounter::kContextSwitches, kFake), -EACCES);
    EXPECT_EQ(try_counter(CpuCounter::kTaskClock, kFake), kOnlyUser);
}

// The program closed the file: what its number stands for now is not ours to read.
TEST_F(CountersTest, AFileThatCannotBeReadIsNotReadAgain) {
    ThreadCounters counters;
    counters.open(bit(CpuCounter::kPageFaults), kFake);
    machine_.shorter = 8;
    EXPECT_EQ(of(read(counters), CpuCounter::kPageFaults), kNotCounted);
    machine_.shorter = 0;
    EXPECT_EQ(of(read(counters), CpuCounter::kPageFaults), kNotCounted);
    EXPECT_EQ(machine_.reads, 1);
}

TEST_F(CountersTest, PagesSaveTheSystemCall) {
    machine_.pages = true;
    machine_.page.cap_user_rdpmc = machine_.page.cap_user_time = 1;
    machine_.page.index = 1;
    machine_.page.pmc_width = 48;
    machine_.page.offset = 1'000'000;
    machine_.pmc = (uint64_t{1} << 48) - 10;  // registers begin below zero
    machine_.page.time_enabled = 500;
    machine_.page.time_running = 400;
    machine_.page.time_shift = 1;
    machine_.page.time_mult = 4;  // two ns a tick
    machine_.page.time_offset = 7;
    machine_.tsc = 11;
    ThreadCounters counters;
    counters.open(bit(CpuCounter::kCycles), kFake);
    auto all = read(counters);
    EXPECT_EQ(machine_.reads, 0);
    EXPECT_EQ(of(all, CpuCounter::kCycles), 999'990u);
    EXPECT_EQ(all[enabled_slot(CounterGroup::kCore)], 500u + 7 + 22);
    EXPECT_EQ(all[running_slot(CounterGroup::kCore)], 400u + 7 + 22);
    // While another group has the registers the count stands, and its time goes on.
    machine_.page.index = 0;
    all = read(counters);
    EXPECT_EQ(of(all, CpuCounter::kCycles), 1'000'000u);
    EXPECT_EQ(all[enabled_slot(CounterGroup::kCore)], 529u);
    EXPECT_EQ(all[running_slot(CounterGroup::kCore)], 400u);
    // Where the kernel takes the permission back it is asked.
    machine_.page.cap_user_rdpmc = 0;
    read(counters);
    EXPECT_EQ(machine_.reads, 1);
}

TEST_F(CountersTest, DifferencesOfWhatIsKnownAtBothEnds) {
    uint64_t values[] = {10, 10, kNotCounted, 30};
    const uint64_t now[] = {25, kNotCounted, 5, 29};
    wire::take_difference(values, now, 4);
    EXPECT_EQ(values[0], 15u);
    EXPECT_EQ(values[1], kNotCounted);
    EXPECT_EQ(values[2], kNotCounted);
    EXPECT_EQ(values[3], kNotCounted);  // counters do not run backwards
}

// The system's own, where it has any.
TEST(SystemCounters, CountThisThread) {
    ThreadCounters counters;
    counters.open(kAllCounters);
    if (!(counters.mask() & bit(CpuCounter::kTaskClock)))
        GTEST_SKIP() << "perf events are not permitted here";
    uint64_t begin[kCounterSlots], end[kCounterSlots];
    counters.read(begin);
    // Fresh pages, one by one: as huge ones, or out of what was freed, they would be few faults or none.
    constexpr size_t kBytes = size_t{8} << 20;
    void* pages = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    ::madvise(pages, kBytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < kBytes; i += 4096)
        static_cast<volatile char*>(pages)[i] = 1;
    counters.read(end);
    ::munmap(pages, kBytes);
    wire::take_difference(begin, end, counters.slots());
    EXPECT_GT(begin[0], 0u);
    EXPECT_LT(begin[0], 60'000'000'000u);
    if (counters.mask() & bit(CpuCounter::kPageFaults)) {
        EXPECT_GE(begin[1], kBytes / 4096) << "of all pages, from the first on";
    }
    counters.close();
}

}  // namespace
}  // namespace opsight::collect
