// Writes real Kineto traces as captures (ops as PyTorch's observer records them in one file, what CUPTI
// records in another), imports those, and compares the reports with the trace's own. What a capture does not
// hold (shapes, collectives, External ids) is left out of the trace first; ranges that Kineto projects onto
// streams count in no report. usage: kineto_as_capture [TRACE...]; without arguments some traces under
// $OPSIGHT_CORPUS/kineto.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "analyze/analyze.h"
#include "base/test_files.h"
#include "db/writer.h"
#include "import/capture/importer.h"
#include "import/capture/test_capture.h"
#include "import/import.h"
#include "query/reports/reports.h"
#include "query/session/session.h"

namespace opsight {
namespace {

constexpr int kSkip = 77;
constexpr uint64_t kBase = 1'000'000;
constexpr uint32_t kPid = 4711;
using testing::FabricatedCapture;
using wire::RecordType;

uint64_t ticks(int64_t ns) {
    return kBase + static_cast<uint64_t>(ns);
}
uint32_t id(int64_t value) {
    return value < 0 ? wire::kNoCudaId : static_cast<uint32_t>(value);
}

// A capture's thread ids have 32 bits.
uint32_t thread_of(TrackId track) {
    return 1000 + track.value;
}

class Writer {
  public:
    explicit Writer(const Profile& profile) : p_(profile) {}

    std::string ops() {
        FabricatedCapture capture(kPid);
        for (size_t t = 0; t < p_.tracks.size(); ++t) {
            if (p_.tracks[t].kind != TrackKind::kHostThread) continue;
            capture.thread(thread_of(TrackId(t)));
            if (t == 0) capture.property("rank", std::to_string(p_.ranks[0].number));
            wire::ThreadRecord thread{};
            thread.os_thread = thread_of(TrackId(t));
            thread.framework_thread = t + 1;
            capture.put(RecordType::kThread, thread);
            std::map<std::pair<StringId, bool>, uint32_t> kinds;
            for (uint32_t row = 0; row < p_.host.size(); ++row)
                if (p_.host.track[row] == TrackId(t)) op(capture, kinds, row);
        }
        return capture.bytes();
    }

    std::string cuda() {
        FabricatedCapture capture(kPid);
        capture.thread(999);
        capture.property("rank", std::to_string(p_.ranks[0].number));
        for (const Device& device : p_.devices)
            describe(capture, device);
        std::set<uint32_t> contexts;
        for (const Track& track : p_.tracks)
            if (track.kind == TrackKind::kDeviceStream && contexts.insert(id(track.context)).second) {
                wire::CudaContextRecord context{};
                context.context = id(track.context);
                context.device = id(p_.devices[track.device.index()].number);
                context.parent = wire::kNoCudaId;
                capture.put(RecordType::kCudaContext, context);
            }
        for (uint32_t row = static_cast<uint32_t>(p_.device.size()); row-- > 0;)  // not in the order of time
            device(capture, row);
        for (uint32_t row = 0; row < p_.host.size(); ++row)
            call(capture, row);
        return capture.bytes();
    }

  private:
    void op(FabricatedCapture& capture, std::map<std::pair<StringId, bool>, uint32_t>& kinds, uint32_t row) {
        const HostKind kind = p_.host.kind[row];
        const bool user = kind == HostKind::kAnnotation || kind == HostKind::kDataLoad;
        if (kind != HostKind::kOp && !user) return;
        uint32_t& number = kinds[{p_.host.name[row], user}];
        if (number == 0)
            number = capture.op_kind(p_.strings.view(p_.host.name[row]),
                                     user ? wire::OpScope::kUser : wire::OpScope::kFunction);
        wire::LinkedOpRecord linked{};
        linked.op.kind = number;
        linked.op.begin = ticks(p_.host.begin[row]);
        linked.op.dur = static_cast<uint64_t>(p_.host.dur[row]);
        const int64_t sequence = user ? -1 : p_.op_details.sequence[p_.host.detail[row]];
        if (sequence < 0) return capture.op(number, linked.op.begin, linked.op.dur);
        linked.link = static_cast<uint64_t>(sequence) << 16;
        const int64_t forward = p_.op_details.forward_thread[p_.host.detail[row]];
        for (size_t t = 0; forward >= 0 && t < p_.tracks.size(); ++t)
            if (p_.tracks[t].kind == TrackKind::kHostThread && p_.tracks[t].tid == forward)
                linked.link |= t + 1;
        wire::LinkedOpRecord whole = linked;
        LinkedShape shape{};
        std::memcpy(static_cast<void*>(&shape), &whole, sizeof whole);
        capture.put(RecordType::kLinkedOp, shape);
    }
    // LinkedOpRecord with its header at the top level, as put() wants it.
    struct LinkedShape {
        wire::RecordHeader header;
        uint32_t kind;
        uint64_t begin, dur, link;
    };
    static_assert(sizeof(LinkedShape) == sizeof(wire::LinkedOpRecord));

    void call(FabricatedCapture& capture, uint32_t row) {
        const HostKind kind = p_.host.kind[row];
        if (kind != HostKind::kRuntimeApi && kind != HostKind::kDriverApi) return;
        wire::CudaApiRecord call{};
        uint32_t& name = names_[p_.host.name[row]];
        if (name == 0) name = capture.text(p_.strings.view(p_.host.name[row]));
        call.name = name;
        call.begin = ticks(p_.host.begin[row]);
        call.end = call.begin + static_cast<uint64_t>(p_.host.dur[row]);
        call.thread = thread_of(p_.host.track[row]);
        const int64_t correlation = p_.api_correlation[p_.host.detail[row]];
        call.correlation = correlation < 0 ? 0 : static_cast<uint32_t>(correlation);
        call.domain = kind == HostKind::kDriverApi ? wire::CudaDomain::kDriver : wire::CudaDomain::kRuntime;
        capture.put(RecordType::kCudaApi, call);
    }

    // What kernels, copies, sets and waits have in common.
    template <class Record>
    Record begun(uint32_t row) const {
        const Track& track = p_.tracks[p_.device.track[row].index()];
        Record record{};
        record.begin = ticks(p_.device.begin[row]);
        record.end = record.begin + static_cast<uint64_t>(p_.device.dur[row]);
        record.context = id(track.context);
        record.stream = id(track.stream);
        record.correlation =
            p_.device.correlation[row] < 0 ? 0 : static_cast<uint32_t>(p_.device.correlation[row]);
        if constexpr (requires { record.device; })
            record.device = id(p_.devices[track.device.index()].number);
        return record;
    }

    void device(FabricatedCapture& capture, uint32_t row) {
        switch (p_.device.kind[row]) {
            case DeviceKind::kKernel: {
                auto kernel = begun<wire::CudaKernelRecord>(row);
                kernel.kind = kind_of(capture, row);
                return capture.put(RecordType::kCudaKernel, kernel);
            }
            case DeviceKind::kMemcpy: {
                auto copy = begun<wire::CudaCopyRecord>(row);
                const Transfer& transfer = p_.transfers[p_.device.transfer[row].index()];
                copy.copy_kind = static_cast<uint8_t>(transfer.copy);
                copy.from_kind = static_cast<uint8_t>(transfer.from) + 1;
                copy.to_kind = static_cast<uint8_t>(transfer.to) + 1;
                copy.bytes = static_cast<uint64_t>(std::max<int64_t>(0, p_.device.bytes[row]));
                return capture.put(RecordType::kCudaCopy, copy);
            }
            case DeviceKind::kMemset: {
                auto set = begun<wire::CudaSetRecord>(row);
                set.memory_kind = static_cast<uint8_t>(p_.transfers[p_.device.transfer[row].index()].to) + 1;
                set.bytes = static_cast<uint64_t>(std::max<int64_t>(0, p_.device.bytes[row]));
                return capture.put(RecordType::kCudaSet, set);
            }
            case DeviceKind::kSync: {
                auto sync = begun<wire::CudaSyncRecord>(row);
                sync.type = wire::CudaSync::kStream;
                sync.event = wire::kNoCudaId;
                return capture.put(RecordType::kCudaSync, sync);
            }
            default:
                return;
        }
    }

    uint32_t kind_of(FabricatedCapture& capture, uint32_t row) {
        uint32_t& number = kinds_[{p_.device.name[row], p_.device.config[row]}];
        if (number != 0) return number;
        wire::CudaKernelKindRecord kind{};
        kind.id = number = static_cast<uint32_t>(kinds_.size());
        kind.name = capture.text(p_.strings.view(p_.device.name[row]));
        if (p_.device.config[row].valid()) {
            const LaunchConfig& config = p_.launch_configs[p_.device.config[row].index()];
            for (size_t axis = 0; axis < 3; ++axis) {
                kind.grid[axis] = static_cast<uint32_t>(config.grid[axis]);
                kind.block[axis] = static_cast<uint32_t>(config.block[axis]);
            }
            kind.registers = static_cast<uint32_t>(config.registers_per_thread);
            kind.static_shared = static_cast<uint32_t>(std::max<int64_t>(0, config.static_shared_bytes));
        }
        capture.put(RecordType::kCudaKernelKind, kind);
        return number;
    }

    static void describe(FabricatedCapture& capture, const Device& device) {
        wire::CudaDeviceRecord record{};
        record.device = id(device.number);
        record.compute_major = static_cast<uint32_t>(device.compute_major);
        record.compute_minor = static_cast<uint32_t>(device.compute_minor);
        record.sm_count = static_cast<uint32_t>(device.sm_count);
        record.memory_bytes = static_cast<uint64_t>(device.memory_bytes);
        record.threads_per_sm = static_cast<uint32_t>(device.max_threads_per_sm);
        record.threads_per_block = static_cast<uint32_t>(device.max_threads_per_block);
        record.registers_per_sm = static_cast<uint32_t>(device.registers_per_sm);
        record.registers_per_block = static_cast<uint32_t>(device.registers_per_block);
        record.shared_per_sm = static_cast<uint32_t>(device.shared_memory_per_sm);
        record.shared_per_block = static_cast<uint32_t>(device.shared_memory_per_block);
        record.shared_per_block_optin = static_cast<uint32_t>(device.shared_memory_per_block_optin);
        record.threads_per_warp = static_cast<uint32_t>(device.warp_size);
        record.length = static_cast<uint16_t>(device.name.size());
        capture.put(RecordType::kCudaDevice, record, device.name);
    }

    const Profile& p_;
    std::map<StringId, uint32_t> names_;
    std::map<std::pair<StringId, LaunchConfigId>, uint32_t> kinds_;
};

Result<query::Session> stored(Profile& profile, const std::string& path) {
    const analyze::Analysis analysis = analyze::analyze(profile, {});
    OPSIGHT_TRY(db::write_profile(path, profile, analysis));
    return query::Session::open(path, {});
}

// Kineto's own estimates are not in a capture.
bool is_compared(const query::Column& column) {
    static const std::set<std::string> others = {"source_occupancy_pct", "source_blocks_per_sm",
                                                 "source_warps_per_sm"};
    return !others.contains(column.key);
}

std::string text_of(const query::Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    if (const auto* number = std::get_if<int64_t>(&cell)) return std::to_string(*number);
    if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{:.9g}", *real);
    if (const auto* yes = std::get_if<bool>(&cell)) return *yes ? "yes" : "no";
    return "-";
}

struct Compared {
    size_t cells = 0, differing = 0;
};

void compare(const query::ResultTable& a, const query::ResultTable& b, Compared& sum) {
    const auto complain = [&](const std::string& what) {
        if (++sum.differing <= 12) fmt::print("    FAILED: {}: {}\n", a.name, what);
    };
    if (a.rows.size() != b.rows.size())
        return complain(fmt::format("{} and {} rows", a.rows.size(), b.rows.size()));
    for (size_t row = 0; row < a.rows.size(); ++row)
        for (size_t column = 0; column < a.columns.size(); ++column) {
            if (!is_compared(a.columns[column])) continue;
            const std::string left = text_of(a.rows[row][column]), right = text_of(b.rows[row][column]);
            ++sum.cells;
            if (left != right)
                complain(fmt::format("row {} {}: {} and {}", row, a.columns[column].key, left, right));
        }
}

Result<bool> run(const std::string& trace) {
    OPSIGHT_ASSIGN(Profile profile, importer::import_files({trace}));
    for (size_t i = 0; i < profile.op_details.size(); ++i) {
        profile.op_details.signature[i] = {};
        profile.op_details.collective[i] = {};
        profile.op_details.external_id[i] = -1;
    }
    std::fill(profile.device.collective.begin(), profile.device.collective.end(), CollectiveId());
    std::fill(profile.device.external_id.begin(), profile.device.external_id.end(), -1);
    // A capture takes a duration of 0 for a span that has not ended.
    for (int64_t& dur : profile.host.dur)
        dur = std::max<int64_t>(dur, 1);
    const testing::TempFolder folder;
    Writer writer(profile);
    const std::vector<std::string> captures = {folder.write("torch.opcap", writer.ops()),
                                               folder.write("cuda.opcap", writer.cuda())};
    ProfileBuilder builder;
    OPSIGHT_TRY(importer::capture::import_captures(captures, false, builder));
    Profile again = std::move(builder).finish();
    OPSIGHT_ASSIGN(query::Session first, stored(profile, folder.path() + "/trace.opsight"));
    OPSIGHT_ASSIGN(query::Session second, stored(again, folder.path() + "/captures.opsight"));
    Compared sum;
    std::string reports;
    for (const char* name : {"kernel", "op_type", "tensor_core", "iteration", "group_op", "detailed"}) {
        OPSIGHT_ASSIGN(const query::Report a, query::make_report(first, name, {}));
        OPSIGHT_ASSIGN(const query::Report b, query::make_report(second, name, {}));
        const size_t cells = sum.cells;
        for (size_t i = 0; i < std::min(a.sections.size(), b.sections.size()); ++i)
            compare(a.sections[i].table, b.sections[i].table, sum);
        reports += fmt::format(" {} {}", name, sum.cells - cells);
    }
    OPSIGHT_ASSIGN(const query::ResultTable busy, query::device_use(first, {}));
    OPSIGHT_ASSIGN(const query::ResultTable busy_again, query::device_use(second, {}));
    compare(busy, busy_again, sum);
    OPSIGHT_ASSIGN(const query::ResultTable streams, query::stream_use(first, {}));
    OPSIGHT_ASSIGN(const query::ResultTable streams_again, query::stream_use(second, {}));
    compare(streams, streams_again, sum);
    fmt::print("{}: {} spans of devices, {} numbers compared ({}), {} differ\n",
               std::filesystem::path(trace).filename().string(), again.device.size(), sum.cells, reports,
               sum.differing);
    return sum.differing == 0 && sum.cells > 1000;
}

}  // namespace
}  // namespace opsight

int main(int argc, char** argv) {
    std::vector<std::string> traces(argv + 1, argv + argc);
    const char* corpus = std::getenv("OPSIGHT_CORPUS");
    if (traces.empty() && !corpus) {
        fmt::print("OPSIGHT_CORPUS is not set\n");
        return opsight::kSkip;
    }
    if (traces.empty())
        for (const char* name :
             {"hta/critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz",
              "hta/ns_resolution_trace__rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
              "hta/nccl_parser_config__nccl_data.json.gz", "param/linear_kineto.json.gz"})
            traces.push_back(std::string(corpus) + "/kineto/" + name);
    bool good = true;
    for (const std::string& trace : traces) {
        const opsight::Result<bool> done = opsight::run(trace);
        if (!done) fmt::print("{}: {}\n", trace, done.error().message());
        good &= done.value_or(false);
    }
    return good ? 0 : 1;
}
