// The machine and the run, what DLProf found, and its iterations.
#include <fmt/format.h>

#include <algorithm>

#include "import/dlprof/database.h"

namespace opsight::importer::dlprof {
namespace {

// Columns of read_only_system_config under the names that properties have elsewhere.
constexpr std::pair<std::string_view, std::string_view> kSystem[] = {
    {"cpu_model", "cpu_model"},       {"driver_version", "driver_version"},
    {"cuda_version", "cuda_version"}, {"cudnn_version", "cudnn_version"},
    {"nsys_version", "nsys_version"}, {"dlprof_version", "dlprof_version"},
    {"dlprof_build", "dlprof_build"}, {"profile_name", "profile_name"},
    {"mode_string", "dlprof_mode"},   {"original_command", "command"},
    {"num_gpus", "dlprof_gpu_count"}, {"framework", "framework"}};
constexpr std::string_view kModel[] = {
    "num_workers",   "pin_memory",       "cudnn_benchmark_disabled",    "detect_anomaly", "gradcheck",
    "gradgradcheck", "autograd_profile", "autograd_set_detect_anomaly", "emit_nvtx",      "amp_enabled"};

class SystemReader {
  public:
    explicit SystemReader(Database& database)
        : database_(database), report_(database.report()), builder_(database.builder()) {}

    Status run() {
        Columns columns;
        for (const auto& [column, property] : kSystem)
            columns.push_back(column);
        OPSIGHT_TRY(report_.read(
            "read_only_system_config", columns,
            [this](Table& row) {
                for (size_t i = 0; i < std::size(kSystem); ++i)
                    keep(std::string(kSystem[i].second), plain(row, i));
            },
            false));
        OPSIGHT_TRY(report_.read(
            "read_only_model_config", Columns(std::begin(kModel), std::end(kModel)),
            [this](Table& row) {
                for (size_t i = 0; i < std::size(kModel); ++i)
                    keep("model_" + std::string(kModel[i]), plain(row, i));
            },
            false));
        OPSIGHT_TRY(read_devices());
        return read_findings();
    }

  private:
    // Numbers here are not numbers of the dictionary.
    std::string plain(const Table& row, size_t column) {
        return row.has(column) ? std::string(builder_.view(report_.intern(row.text(column)))) : std::string();
    }

    void keep(const std::string& key, std::string value) {
        if (key != "framework") return report_.keep(key, value);
        if (!value.empty()) builder_.info().frameworks.push_back(std::move(value));
    }

    Status read_devices() {
        enum { kId, kName, kMajor, kMinor, kSms };
        OPSIGHT_TRY(report_.read(
            "read_only_gpu_infos",
            {"device_id", "gpu_name", "compute_capability_major", "compute_capability_minor", "sm_count"},
            [this](Table& row) {
                numbers_.push_back(row.number(kId, 0));
                for (const RankId rank : all_ranks()) {
                    Device& device = builder_.device_info(builder_.device(rank, numbers_.back()));
                    device.name = database_.view(row, kName);
                    device.compute_major = small(row.number(kMajor, 0));
                    device.compute_minor = small(row.number(kMinor, 0));
                    device.sm_count = std::clamp<int64_t>(row.number(kSms, 0), 0, 1 << 20);
                    device.declared = true;
                }
            },
            false));
        return read_memories();
    }

    // One row a GPU, in their order. Zeros: it was not looked at.
    Status read_memories() {
        size_t next = 0;
        int64_t used_pct = -1;
        OPSIGHT_TRY(report_.read(
            "gpu_memories", {"total", "used"},
            [&](Table& row) {
                const size_t place = next++;
                const int64_t total = row.number(0, 0), used = row.number(1, 0);
                if (total <= 0 || place >= numbers_.size()) return;
                for (const RankId rank : all_ranks())
                    builder_.device_info(builder_.device(rank, numbers_[place])).memory_bytes = total;
                if (used > 0 && used <= total)
                    used_pct = std::max(used_pct, static_cast<int64_t>(static_cast<double>(used) * 100 /
                                                                       static_cast<double>(total)));
            },
            false));
        if (used_pct >= 0) keep("dlprof_gpu_memory_pct", std::to_string(used_pct));
        return {};
    }

    static int small(int64_t number) { return static_cast<int>(std::clamp<int64_t>(number, 0, 1000)); }

    // The devices of a machine are those of each of its processes.
    std::vector<RankId> all_ranks() {
        if (report_.ranks().empty()) return {report_.any_rank()};
        std::vector<RankId> ranks;
        for (const auto& [process, rank] : report_.ranks())
            ranks.push_back(rank);
        std::sort(ranks.begin(), ranks.end());
        return ranks;
    }

    // Findings are about one aggregation; the latest one counts.
    Status read_findings() {
        int64_t latest = INT64_MIN;
        std::vector<std::pair<std::string, std::string>> found;
        OPSIGHT_TRY(report_.read(
            "expert_systems_feedback", {"aggr_id", "problem", "recommendation"},
            [&](Table& row) {
                const int64_t aggregation = row.number(0, 0);
                if (aggregation < latest) return;
                if (aggregation > latest) found.clear();
                latest = aggregation;
                found.emplace_back(plain(row, 1), plain(row, 2));
            },
            false));
        for (size_t i = 0; i < found.size(); ++i) {
            keep(fmt::format("dlprof_problem_{}", i + 1), std::move(found[i].first));
            keep(fmt::format("dlprof_recommendation_{}", i + 1), std::move(found[i].second));
        }
        return {};
    }

    Database& database_;
    Report& report_;
    ProfileBuilder& builder_;
    std::vector<int64_t> numbers_;  // of the devices, as listed
};

}  // namespace

Status read_system(Database& database) {
    return SystemReader(database).run();
}

namespace {

struct Iteration {
    int64_t number;
    HostSpan span;
};

void add_iterations(Database& database, std::vector<Iteration>& list) {
    Report& report = database.report();
    ProfileBuilder& builder = database.builder();
    std::vector<RankId> ranks;
    for (const auto& [process, rank] : report.ranks())
        ranks.push_back(rank);
    std::sort(ranks.begin(), ranks.end());
    for (const RankId rank : ranks) {
        const TrackId track = builder.other_track(rank, "DLProf", "iterations");
        for (Iteration& found : list) {
            found.span.track = track;
            found.span.kind = HostKind::kAnnotation;
            found.span.name = builder.text(fmt::format("DLProf iteration #{}", found.number));
            builder.add_host(found.span);
        }
    }
}

}  // namespace

// The iterations of the latest aggregation. A single one is not an iteration: it says that DLProf found no
// key op.
Status read_iterations(Database& database) {
    enum { kAggregation, kDomain, kNumber, kStart, kStop };
    Report& report = database.report();
    std::vector<Iteration> list;
    std::pair<int64_t, int64_t> of{INT64_MIN, INT64_MIN};  // aggregation, and domain from its end
    OPSIGHT_TRY(report.read(
        "iteration_list", {"aggr_id", "domain_id", "iter_value", "start_time", "stop_time"}, [&](Table& row) {
            const std::pair place(row.number(kAggregation, 0), ~row.number(kDomain, 0));
            if (place < of) return;
            if (of < place) list.clear();
            of = place;
            Iteration found{row.number(kNumber, 0), {}};
            HostSpan& span = found.span;
            if (report.times(row, kStart, kStop, span.begin, span.dur, span.flags)) list.push_back(found);
        }));
    OPSIGHT_TRY(report.read(
        "iteration_key", {"aggr_id", "key_node_id"},
        [&](Table& row) {
            if (row.number(0, of.first) == of.first) report.keep("dlprof_key_op", database.view(row, 1));
        },
        false));
    OPSIGHT_TRY(report.read(
        "model_summary", {"aggr_id", "iter_start", "iter_stop"},
        [&](Table& row) {
            if (row.number(0, of.first) != of.first || !row.has(1) || !row.has(2)) return;
            report.keep("dlprof_iteration_start", std::to_string(row.number(1)));
            report.keep("dlprof_iteration_stop", std::to_string(row.number(2)));
        },
        false));
    if (list.size() > 1) add_iterations(database, list);
    return {};
}

}  // namespace opsight::importer::dlprof
