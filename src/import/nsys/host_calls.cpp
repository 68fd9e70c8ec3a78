// Calls of host threads other than CUDA's: the system, libraries, message passing, and the profiler itself.
#include "import/nsys/call_chains.h"
#include "import/nsys/readers.h"

namespace opsight::importer::nsys {
namespace {

struct CallTable {
    std::string_view name, library;  // library: category of the spans; empty where the kind says all
    HostKind kind;
    std::string_view chains;  // table of what called
};

constexpr CallTable kCallTables[] = {
    {"OSRT_API", "", HostKind::kOsRuntime, "OSRT_CALLCHAINS"},
    {"SYSCALL", "syscall", HostKind::kOsRuntime},
    {"CUDNN_EVENTS", "cuDNN", HostKind::kLibrary},
    {"CUBLAS_EVENTS", "cuBLAS", HostKind::kLibrary},
    {"NVVIDEO_ENCODER_API", "NVENC", HostKind::kLibrary},
    {"NVVIDEO_DECODER_API", "NVDEC", HostKind::kLibrary},
    {"NVVIDEO_JPEG_API", "nvJPEG", HostKind::kLibrary},
    {"CUPTI_ACTIVITY_KIND_OPENACC_DATA", "OpenACC", HostKind::kLibrary},
    {"CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH", "OpenACC", HostKind::kLibrary},
    {"CUPTI_ACTIVITY_KIND_OPENACC_OTHER", "OpenACC", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_THREAD", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_PARALLEL", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_SYNC_REGION_WAIT", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_SYNC_REGION", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_TASK", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_MASTER", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_REDUCTION", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_TASK_CREATE", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_TASK_SCHEDULE", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_CANCEL", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_MUTEX_WAIT", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_CRITICAL_SECTION", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_MUTEX_RELEASED", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_LOCK_INIT", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_LOCK_DESTROY", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_WORKSHARE", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_DISPATCH", "OpenMP", HostKind::kLibrary},
    {"OPENMP_EVENT_KIND_FLUSH", "OpenMP", HostKind::kLibrary},
    {"MPI_P2P_EVENTS", "MPI", HostKind::kMessagePassing},
    {"MPI_COLLECTIVES_EVENTS", "MPI", HostKind::kMessagePassing},
    {"MPI_START_WAIT_EVENTS", "MPI", HostKind::kMessagePassing},
    {"MPI_OTHER_EVENTS", "MPI", HostKind::kMessagePassing},
    {"UCP_EVENTS", "UCX", HostKind::kMessagePassing},
    {"UCP_SUBMIT_EVENTS", "UCX", HostKind::kMessagePassing},
    {"UCP_PROGRESS_EVENTS", "UCX", HostKind::kMessagePassing},
    {"PROFILER_OVERHEAD", "", HostKind::kOverhead},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", "", HostKind::kOverhead},
};

class HostCalls {
  public:
    explicit HostCalls(Report& report) : report_(report) {}

    Status run() {
        OPSIGHT_TRY(report_.read(
            "MPI_RANKS", {"globalTid", "rank"},
            [this](Table& row) { ranks_[Report::process_key(row.number(0))] = row.number(1); }, false));
        for (const CallTable& table : kCallTables)
            OPSIGHT_TRY(read(table));
        return {};
    }

  private:
    enum { kStart, kEnd, kThread, kName, kText, kTag, kPeer, kRoot, kSize, kReceived, kChain };

    Status read(const CallTable& source) {
        const Columns columns = {"start",      "end",      "globalTid", "nameId",   "textId",     "tag",
                                 "remoteRank", "rootRank", "size",      "recvSize", "callchainId"};
        CallChains chains(report_);
        if (!source.chains.empty()) OPSIGHT_TRY(chains.load(source.chains));
        const StringId library = report_.builder().text(source.library);
        const uint32_t detail = source.library.empty() ? StringId::kNone : library.value;
        const auto row = [&](Table& table) {
            HostSpan span;
            if (!report_.ended_times(table, kStart, kEnd, span.begin, span.dur)) return;
            span.kind = source.kind;
            span.name = table.has(kName)   ? report_.string(table.number(kName))
                        : table.has(kText) ? report_.string(table.number(kText))
                                           : report_.builder().text(source.name);
            span.track = report_.thread(table, kThread, false);
            report_.builder().add_host(span, detail);
            if (const StringId stack = chains.find(table.number(kChain)); stack.valid())
                report_.builder().extend_call_chain(stack);
            if (source.kind == HostKind::kMessagePassing)
                add_message(table, source.name == "MPI_COLLECTIVES_EVENTS");
        };
        return report_.read(source.name, columns, row).map([](bool) {});
    }

    void add_message(const Table& row, bool collective) {
        Message message;
        message.tag = row.number(kTag);
        message.peer = row.number(kPeer);
        message.root = row.number(kRoot);
        (collective ? message.sent_bytes : message.bytes) = row.number(kSize);
        message.received_bytes = row.number(kReceived);
        const auto rank = ranks_.find(Report::process_key(row.number(kThread, 0)));
        if (rank != ranks_.end()) message.rank = rank->second;
        report_.builder().extend_message(message);
    }

    Report& report_;
    absl::flat_hash_map<int64_t, int64_t> ranks_;  // of MPI, by process
};

}  // namespace

Status read_mpi_ranks(Report& report) {
    return report
        .read(
            "MPI_RANKS", {"globalTid", "rank"},
            [&report](Table& row) {
                if (!row.has(0) || row.number(1) < 0) return report.note_replaced(row, "no rank");
                Rank& rank = report.builder().rank(report.rank_of(row.number(0), true));
                rank.number = row.number(1);
                rank.number_known = true;
            },
            false)
        .map([](bool) {});
}

Status read_host_calls(Report& report) {
    return HostCalls(report).run();
}

}  // namespace opsight::importer::nsys
