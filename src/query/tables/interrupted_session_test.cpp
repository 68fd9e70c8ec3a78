// A session that is interrupted at any moment of any question answers it afterwards as one that never was.
#include <fmt/ranges.h>

#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "query/reports/headline.h"
#include "query/reports/info.h"
#include "query/reports/iteration_shares.h"
#include "query/reports/layer_tree.h"
#include "query/reports/memory.h"
#include "query/reports/test_reports.h"
#include "query/tables/tables.h"

namespace opsight::query {
namespace {

using Clock = std::chrono::steady_clock;

// Enough steps of everything that questions look at for an answer to take some milliseconds.
analyze::TestProfile many_steps() {
    analyze::TestProfile t;
    int64_t id = 0;
    for (int64_t step = 0; step < 100; ++step) {
        const int64_t at = step * 10'000;
        t.annotation("ProfilerStep#" + std::to_string(step), at, 9'000, t.thread());
        t.annotation("part " + std::to_string(step % 7), at + 50, 4'000, t.thread());
        t.host(HostKind::kModule, "nn.Module: Block_" + std::to_string(step % 5), at + 100, 3'000,
               t.thread());
        for (int64_t op = 0; op < 4; ++op) {
            const int64_t begin = at + 200 + op * 600;
            t.op("aten::op" + std::to_string(op), begin, 400);
            t.api("cudaLaunchKernel", begin + 50, 10, t.thread(), ++id);
            t.kernel("kernel" + std::to_string(op % 3), begin + 200, 350, t.stream(), id);
            MemoryEvent memory;
            memory.time = begin + 10;
            memory.track = t.thread();
            memory.address = id;
            memory.bytes = 1000;
            memory.total_allocated = 1000 * id;
            memory.device_type = 1;
            memory.device = 0;
            t.builder.add_memory(memory);
        }
    }
    return t;
}

std::string text_of(const ResultTable& table) {
    std::string text;
    for (const auto& row : table.rows) {
        for (const Cell& cell : row)
            std::visit(
                [&text](const auto& value) {
                    using T = std::decay_t<decltype(value)>;
                    if constexpr (std::is_same_v<T, std::string>)
                        text += value;
                    else if constexpr (!std::is_same_v<T, std::monostate>)
                        text += std::to_string(value);
                    text += '|';
                },
                cell);
        text += '\n';
    }
    return text;
}

using Answer = std::function<Result<std::string>(Session&)>;

std::vector<std::pair<std::string, Answer>> questions() {
    std::vector<std::pair<std::string, Answer>> list;
    for (const ReportInfo& info : report_family().members)
        list.emplace_back("report " + std::string(info.name), [&info](Session& s) -> Result<std::string> {
            OPSIGHT_ASSIGN(const Report report, make_report(s, info.name, {}));
            std::string text;
            for (const Section& section : report.sections)
                text += text_of(section.table);
            return text;
        });
    for (const std::string_view name : table_family().names()) {
        if (needs_iteration(name)) continue;
        list.emplace_back("table " + std::string(name), [name](Session& s) -> Result<std::string> {
            TableShape shape;
            shape.merge_numbers = name == "ranges";
            shape.page = Page{.size = 1000};
            const TableSubject subject{.op = needs_op(name) ? std::optional<int64_t>(0) : std::nullopt};
            OPSIGHT_ASSIGN(const ResultTable table, make_table(s, name, subject, shape));
            return text_of(table);
        });
    }
    list.emplace_back("info", [](Session& s) -> Result<std::string> {
        OPSIGHT_ASSIGN(const Info info, profile_info(s));
        return text_of(info.counts) + text_of(info.devices);
    });
    list.emplace_back("headline", [](Session& s) -> Result<std::string> {
        OPSIGHT_ASSIGN(const ResultTable head, headline(s, {}));
        return text_of(head);
    });
    list.emplace_back("layer tree", [](Session& s) -> Result<std::string> {
        OPSIGHT_ASSIGN(const std::vector<LayerNode> tree, layer_tree(s));
        std::string text;
        for (const LayerNode& node : tree)
            text += fmt::format("{} {} {} {}\n", node.path, node.calls, node.cpu_ns, node.gpu_ns);
        return text;
    });
    list.emplace_back("shares of iterations", [](Session& s) -> Result<std::string> {
        OPSIGHT_ASSIGN(const std::vector<IterationShares> shares, iteration_shares(s));
        std::string text;
        for (const IterationShares& each : shares)
            text += fmt::format("{} {}\n", each.dur_ns, fmt::join(each.ns, " "));
        return text;
    });
    list.emplace_back("memory", [](Session& s) -> Result<std::string> {
        OPSIGHT_ASSIGN(const std::vector<DeviceMemory> memory, memory_over_time(s));
        OPSIGHT_ASSIGN(const ResultTable peak, peak_memory(s));
        return fmt::format("{} {}", memory.size(), text_of(peak));
    });
    return list;
}

class InterruptedSession : public ::testing::TestWithParam<bool> {
  protected:
    StoredProfile stored_{many_steps()};
    RangeOptions range() const {
        RangeOptions range;
        if (GetParam()) range.iteration_range = "ProfilerStep.*";
        return range;
    }
};

TEST_P(InterruptedSession, AnswersAfterwardsAsOneThatNeverWas) {
    std::mt19937 random(7);
    int interrupted = 0;
    Session calm = stored_.open(range()), session = stored_.open(range());
    for (const auto& [name, answer] : questions()) {
        SCOPED_TRACE(name);
        const auto begin = Clock::now();
        const Result<std::string> expected = answer(calm);
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
        ASSERT_TRUE(expected) << expected.error().message();
        for (int round = 0; round < 3; ++round) {
            const std::chrono::microseconds after(random() % static_cast<unsigned>(took + 1));
            std::thread other([&session, after] {
                std::this_thread::sleep_for(after);
                session.interrupt();
            });
            interrupted += !answer(session);
            other.join();
        }
        const Result<std::string> again = answer(session);
        ASSERT_TRUE(again) << again.error().message();
        EXPECT_EQ(*again, *expected);
    }
    EXPECT_GT(interrupted, 20);
}

INSTANTIATE_TEST_SUITE_P(Ranges, InterruptedSession, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "CutAnew" : "AsStored"; });

}  // namespace
}  // namespace opsight::query
