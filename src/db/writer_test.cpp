#include "db/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "analyze/device_facts.h"
#include "base/duckdb.h"
#include "db/schema.h"
#include "db/value_rules.h"
#include "model/profile_builder.h"

namespace opsight::db {
namespace {

namespace fs = std::filesystem;
using duck::Cell;

// `ops` ops of 10 ns, one after another, each launching one kernel 5 ns later.
struct Made {
    Profile profile;
    analyze::Analysis analysis;
};

Profile make_profile(size_t ops) {
    ProfileBuilder builder;
    builder.info().producer = "test";
    Rank rank;
    rank.number = 3;
    const RankId rank_id = builder.begin_rank(rank);
    const TrackId thread = builder.host_track(rank_id, 7, 8);
    const DeviceId device = builder.device(rank_id, 0);
    const TrackId stream = builder.stream_track(TrackKind::kDeviceStream, device, 1, 5);
    const StringId op = builder.text("aten::mm"), api = builder.text("cudaLaunchKernel"),
                   kernel = builder.text("volta_h884gemm"), frame = builder.text("train.py(1): step");
    LaunchConfig config;
    config.grid[0] = 4;
    const LaunchConfigId config_id = builder.launch_config(config);
    const SignatureId signature =
        builder.signature({builder.text("[[2, 2]]"), builder.text("[\"float\"]"), {}, {}});
    for (size_t i = 0; i < ops; ++i) {
        const int64_t begin = 1000 + static_cast<int64_t>(i) * 20;
        builder.add_host({begin - 2, 14, thread, frame, HostKind::kPythonFrame});
        builder.add_op({begin, 10, thread, op, HostKind::kOp}, {signature});
        builder.add_api({begin + 1, 2, thread, api, HostKind::kRuntimeApi}, static_cast<int64_t>(i));
        DeviceSpan span{begin + 5, 4, stream, kernel, DeviceKind::kKernel};
        span.correlation = static_cast<int64_t>(i);
        span.config = config_id;
        builder.add_device(span);
    }
    return std::move(builder).finish();
}

analyze::Analysis make_analysis(Profile& profile) {
    analyze::Analysis analysis;
    const size_t host = profile.host.size(), device = profile.device.size();
    analysis.depth.resize(host);
    analysis.iteration.assign(host, 0);
    analysis.layer.resize(host);
    analysis.op_span.resize(host);
    HostSpanId last_op;
    std::vector<HostSpanId> op_spans, api_spans;
    for (size_t i = 0; i < host; ++i) {
        if (profile.host.kind[i] == HostKind::kOp) op_spans.push_back(last_op = HostSpanId(i));
        if (profile.host.kind[i] != HostKind::kRuntimeApi) continue;
        analysis.op_span[i] = last_op;
        api_spans.emplace_back(i);
    }
    analysis.op.assign(op_spans.size(), OpId(0));
    analysis.self_ns.assign(op_spans.size(), 10);
    analysis.forward.resize(op_spans.size());
    analysis.launch = api_spans;
    analysis.launch_op = op_spans;
    analysis.device_op.assign(device, OpId(0));
    analysis.kernel.assign(device, analyze::KernelId(0));
    analysis.device_iteration.assign(device, 0);
    analysis.span_work.assign(device, -1);
    analysis.span_share.assign(device, 0);
    analysis.peaks.resize(profile.devices.size());
    for (const HostSpanId span : api_spans)
        analysis.host_ns.push_back(profile.host.begin[span.index()]);
    analyze::Op op;
    op.name = op.type = profile.strings.find("aten::mm");
    op.tc_eligible = true;
    analysis.ops.push_back(op);
    analyze::Kernel kernel;
    kernel.name = kernel.short_name = profile.strings.find("volta_h884gemm");
    kernel.uses_tc = analyze::TensorCoreUse::kYes;
    kernel.evidence = analyze::TensorCoreEvidence::kName;
    analysis.kernels.push_back(kernel);
    for (const HostSpanId span : op_spans) {
        analyze::OpWork work;
        work.span = span;
        work.api_ns = 2;
        work.gpu_ns = work.kernel_ns = work.tc_kernel_ns = 4;
        work.kernels = work.tc_kernels = 1;
        analysis.op_work.push_back(work);
    }
    analysis.occupancy_pct.assign(profile.launch_configs.size(), -1);
    analysis.waves.assign(profile.launch_configs.size(), -1);
    mark_device_work(profile, analysis);
    return analysis;
}

class WriterTest : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("opsight_writer_" + std::to_string(getpid()));
        fs::create_directories(folder_);
        path_ = (folder_ / "a.opsight").string();
    }
    void TearDown() override { fs::remove_all(folder_); }
    Status write(size_t ops, WriteOptions options = {}) {
        Profile profile = make_profile(ops);
        const analyze::Analysis analysis = make_analysis(profile);
        return write_profile(path_, profile, analysis, options);
    }
    std::vector<std::vector<Cell>> ask(const std::string& sql) {
        duck::OpenOptions options;
        options.read_only = true;
        auto database = duck::Database::open(path_, options);
        EXPECT_TRUE(database.has_value()) << database.error().message();
        auto connection = database->connect();
        auto rows = connection->query(sql);
        EXPECT_TRUE(rows.has_value()) << sql << ": " << rows.error().message();
        return rows ? rows->rows : std::vector<std::vector<Cell>>{};
    }
    size_t files() const {
        return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    fs::path folder_;
    std::string path_;
};

TEST_F(WriterTest, EveryViewAnswers) {
    ASSERT_TRUE(write(3).has_value());
    for (const View& view : views())
        ask("SELECT * FROM " + std::string(view.name));
    for (const Table& entry : tables())
        ask("SELECT * FROM raw." + std::string(entry.name));
    EXPECT_EQ(files(), 1u);
}

TEST_F(WriterTest, ViewsJoinWhatBelongsTogether) {
    ASSERT_TRUE(write(3).has_value());
    const auto rows =
        ask("SELECT rank, device, stream, name, uses_tc, tc_evidence, op_name, direction, grid_x, grid_y, "
            "iteration, "
            "in_tc_eligible_op, begin_ns, end_ns - begin_ns FROM kernels ORDER BY begin_ns LIMIT 1");
    const std::vector<Cell> expected = {int64_t{3}, int64_t{0}, int64_t{5}, "volta_h884gemm", "yes",
                                        "name",     "aten::mm", "fprop",    int64_t{4},       Cell{},
                                        int64_t{0}, true,       int64_t{7}, int64_t{4}};
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0], expected);
    EXPECT_EQ(
        ask("SELECT calls, cpu_ns, gpu_ns, device, tc_kernels FROM op_stats"),
        (std::vector<std::vector<Cell>>{{int64_t{3}, int64_t{30}, int64_t{12}, int64_t{0}, int64_t{3}}}));
    EXPECT_EQ(ask("SELECT device, gpu_ns, shapes, strides FROM ops LIMIT 1"),
              (std::vector<std::vector<Cell>>{{int64_t{0}, int64_t{4}, "[[2, 2]]", Cell{}}}));
}

TEST_F(WriterTest, KeepsTheOrderOfRowsWhenTwoThreadsWriteOneTable) {
    ASSERT_TRUE(write(400000).has_value());
    for (const char* name : {"ops", "api_calls", "python_frames", "device_spans"})
        EXPECT_EQ(
            ask(std::string(
                    "SELECT count(*), count(*) FILTER (WHERE begin_ns <= before) FROM (SELECT begin_ns, "
                    "lag(begin_ns) OVER (ORDER BY rowid) AS before FROM raw.") +
                name + ")"),
            (std::vector<std::vector<Cell>>{{int64_t{400000}, int64_t{0}}}))
            << name;
}

TEST_F(WriterTest, DoesNotReplaceAFileUnlessTold) {
    ASSERT_TRUE(write(1).has_value());
    const Status again = write(2);
    ASSERT_FALSE(again.has_value());
    EXPECT_THAT(again.error().message(), ::testing::HasSubstr("exists already"));
    WriteOptions options;
    options.overwrite = true;
    ASSERT_TRUE(write(2, options).has_value());
    EXPECT_EQ(ask("SELECT count(*) FROM ops")[0][0], Cell(int64_t{2}));
}

// DuckDB names a catalog after its file.
TEST_F(WriterTest, AProfileMayBeNamedLikeASchema) {
    for (const char* name :
         {"raw.opsight", "RAW.opsight", "raw.final.opsight", "main.opsight", "temp.opsight"}) {
        path_ = (folder_ / name).string();
        const Status written = write(1);
        EXPECT_TRUE(written.has_value()) << name << ": " << (written ? "" : written.error().message());
    }
    EXPECT_EQ(files(), 5u);
}

TEST_F(WriterTest, AFailedAnalysisSizeIsRefused) {
    Profile profile = make_profile(2);
    analyze::Analysis analysis = make_analysis(profile);
    analysis.host_ns.pop_back();
    EXPECT_FALSE(write_profile(path_, profile, analysis).has_value());
    EXPECT_EQ(files(), 0u);
}

TEST_F(WriterTest, AFullDiskLeavesNothing) {
    const auto write_with_little_room = [&] {
        std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit fails, as on a full disk
        const rlimit limit{1 << 20, 1 << 20};
        setrlimit(RLIMIT_FSIZE, &limit);
        const Status status = write(200000);
        std::fprintf(stderr, "%s\n", status ? "written" : status.error().message().c_str());
        std::_Exit(status ? 0 : 3);
    };
    EXPECT_EXIT(write_with_little_room(), ::testing::ExitedWithCode(3), "could not be written");
    EXPECT_EQ(files(), 0u);
}

TEST_F(WriterTest, MissingFolderIsNamed) {
    path_ = (folder_ / "no" / "a.opsight").string();
    const Status status = write(1);
    ASSERT_FALSE(status.has_value());
    EXPECT_THAT(status.error().message(), ::testing::HasSubstr("folder"));
}

TEST(Writer, MoreRowsThanIdsAreRefused) {
    EXPECT_TRUE(check_row_count("spans", 2'147'483'647).has_value());
    const Status refused = check_row_count("spans", 2'147'483'648);
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().what.find("2147483648 spans"), std::string::npos) << refused.error().what;
    // What is written can be read: value_rules.cpp has the same limit of texts.
    EXPECT_TRUE(check_row_count("texts", kMostTexts, kMostTexts).has_value());
    EXPECT_FALSE(check_row_count("texts", kMostTexts + 1, kMostTexts).has_value());
    const auto strings = std::find_if(tables().begin(), tables().end(),
                                      [](const Table& table) { return table.name == "strings"; });
    ASSERT_NE(strings, tables().end());
    EXPECT_EQ(value_rule(*strings, strings->columns.at(0)).most + 1, kMostTexts);
}

}  // namespace
}  // namespace opsight::db
