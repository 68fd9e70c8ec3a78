// What was sampled by devices: metrics of GPUs and of network cards.
#include <fmt/format.h>

#include <map>

#include "import/nsys/readers.h"

namespace opsight::importer::nsys {
namespace {

using Pair = std::pair<int64_t, int64_t>;

// The device of a GPU of the machine, as a process numbers it where that is told. A GPU that no process is
// told to see is not a device of theirs, whatever its number.
class Gpus {
  public:
    explicit Gpus(Report& report) : report_(report) {}

    Status load() {
        return report_
            .read(
                "TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"},
                [this](Table& row) {
                    told_ = true;
                    for (const auto& [key, rank] : report_.ranks())
                        if ((key & 0xffffff) == row.number(2))
                            seen_.try_emplace(row.number(0), rank, row.number(1));
                },
                false)
            .map([](bool) {});
    }
    DeviceId device(int64_t gpu) {
        const auto found = seen_.find(gpu);
        if (found != seen_.end()) return report_.builder().device(found->second.first, found->second.second);
        return told_ ? DeviceId() : report_.builder().device(report_.any_rank(), gpu);
    }

  private:
    Report& report_;
    bool told_ = false;
    std::map<int64_t, std::pair<RankId, int64_t>> seen_;
};

// Samples are told by device and metric; the names of metrics stand in a table of their own.
class GpuMetrics {
  public:
    explicit GpuMetrics(Report& report) : report_(report), gpus_(report) {}

    Status run() {
        if (!report_.has("GPU_METRICS")) return {};
        OPSIGHT_TRY(gpus_.load());
        OPSIGHT_TRY(report_.read(
            "TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"},
            [this](Table& row) {
                names_[{row.number(0), row.number(1)}] = report_.intern(row.text(2));
            },
            false));
        return report_
            .read("GPU_METRICS", {"timestamp", "typeId", "metricId", "value"},
                  [this](Table& row) { take(row); })
            .map([](bool) {});
    }

  private:
    void take(Table& row) {
        int64_t time = 0;
        if (!report_.time(row, 0, time)) return;
        ProfileBuilder& builder = report_.builder();
        const int64_t type = row.number(1);
        const auto [track, is_new] = tracks_.try_emplace(type);
        if (is_new) {
            const int64_t gpu = type & 0xff;
            const DeviceId device = gpus_.device(gpu);
            const RankId rank = device.valid() ? builder.device_info(device).rank : report_.any_rank();
            track->second = builder.other_track(rank, fmt::format("GPU {}", gpu), "metrics");
            builder.track(track->second).device = device;
        }
        auto name = names_.find({type, row.number(2)});
        if (name == names_.end()) {
            report_.note(Diag::kDanglingId, fmt::format("GPU metric {}", row.number(2)));
            name = names_.emplace(Pair(type, row.number(2)), builder.text("(name lost)")).first;
        }
        builder.add_counter(time, track->second, name->second, row.real(3));
    }

    Report& report_;
    Gpus gpus_;
    std::map<Pair, StringId> names_;
    std::map<int64_t, TrackId> tracks_;
};

class NicMetrics {
  public:
    explicit NicMetrics(Report& report) : report_(report) {}

    Status run() {
        if (!report_.has("NET_NIC_METRIC")) return {};
        OPSIGHT_TRY(load_names());
        return report_
            .read("NET_NIC_METRIC", {"start", "globalId", "portId", "metricsListId", "metricsIdx", "value"},
                  [this](Table& row) { take(row); })
            .map([](bool) {});
    }

  private:
    Status load_names() {
        OPSIGHT_TRY(report_.read(
            "TARGET_INFO_NIC_INFO", {"nicId", "name"},
            [this](Table& row) { cards_[row.number(0)] = report_.intern(row.text(1)); }, false));
        OPSIGHT_TRY(report_.read(
            "NIC_ID_MAP", {"globalId", "nicId"},
            [this](Table& row) { card_of_[row.number(0)] = row.number(1); }, false));
        return report_
            .read(
                "TARGET_INFO_NETWORK_METRICS", {"metricsListId", "metricsIdx", "name", "unit"},
                [this](Table& row) {
                    std::string name(row.text(2));
                    if (!row.text(3).empty()) name += fmt::format(" [{}]", row.text(3));
                    metrics_[{row.number(0), row.number(1)}] = report_.intern(name);
                },
                false)
            .map([](bool) {});
    }

    void take(Table& row) {
        int64_t time = 0;
        if (!report_.time(row, 0, time)) return;
        const Pair metric(row.number(3), row.number(4));
        auto name = metrics_.find(metric);
        if (name == metrics_.end()) {
            report_.note(Diag::kDanglingId, fmt::format("network metric {}", metric.second));
            name = metrics_.emplace(metric, report_.builder().text("(name lost)")).first;
        }
        report_.builder().add_counter(time, port(row.number(1), row.number(2, 0)), name->second, row.real(5));
    }

    TrackId port(int64_t global, int64_t number) {
        const auto [it, is_new] = ports_.try_emplace(Pair(global, number));
        if (!is_new) return it->second;
        const auto mapped = card_of_.find(global);
        const auto card = cards_.find(mapped == card_of_.end() ? global : mapped->second);
        ProfileBuilder& builder = report_.builder();
        const std::string name = card == cards_.end() ? std::to_string(global & 0xffffff)
                                                      : std::string(builder.view(card->second));
        const std::string subject =
            number > 0 ? fmt::format("NIC {} port {}", name, number) : fmt::format("NIC {}", name);
        return it->second = builder.other_track(report_.any_rank(), subject, "metrics");
    }

    Report& report_;
    std::map<int64_t, StringId> cards_;
    std::map<int64_t, int64_t> card_of_;  // NIC by global id
    std::map<Pair, StringId> metrics_;
    std::map<Pair, TrackId> ports_;
};

}  // namespace

Status read_counters(Report& report) {
    OPSIGHT_TRY(GpuMetrics(report).run());
    return NicMetrics(report).run();
}

}  // namespace opsight::importer::nsys
