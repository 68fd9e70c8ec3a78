#include "import/pyprof/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/time.h"
#include "import/pyprof/rows.h"
#include "import/text/clean_text.h"
#include "import/text/csv_fields.h"
#include "import/text/first_bytes.h"
#include "import/text/line_reader.h"
#include "import/text/repair_line.h"
#include "model/source_limits.h"

namespace opsight::importer::pyprof {
namespace {

constexpr const char* kDictsShown =
    "PyProf tells which kernels ran in which order and how long each took, and no times; kernels that follow "
    "upon each "
    "other with the same markers are shown as of one call of their op; the time of the host is not told";
constexpr const char* kTableShown =
    "PyProf tells which kernels ran in which order and how long each took, and no times; FLOPs and bytes are "
    "those that "
    "PyProf counts for the op of each kernel; how often ops were called and the time of the host are not "
    "told";

// Products of matrices and convolutions: their FLOPs are those of matrix units, where there are some.
bool is_product(std::string_view op) {
    op = op.substr(op.rfind('.') + 1);
    constexpr std::string_view kNames[] = {"linear", "matmul", "mm", "bmm", "addmm", "baddbmm", "__matmul__"};
    return op.starts_with("conv") || std::find(std::begin(kNames), std::end(kNames), op) != std::end(kNames);
}

class Import {
  public:
    Import(const OneFile& file, ProfileBuilder& builder)
        : file_(file), lines_(file.source), builder_(builder), rank_(file.begin_rank(builder)) {
        builder_.info().producer = "PyProf";
        builder_.info().frameworks.emplace_back("PyTorch");
        builder_.info().sources.push_back(file.name);
        set_durations_only(builder_.info());
        set_kernels_of_cuda_or_hip(builder_.info());
    }

    Result<ImportFacts> run() {
        OPSIGHT_ASSIGN(const std::string_view first, file_.source.peek(Head::kBytes));
        const bool is_table = kind_of(first) == Kind::kTable;
        set_device_only(builder_.info(), is_table ? kTableShown : kDictsShown);
        std::string line;
        for (;;) {
            line.clear();
            OPSIGHT_ASSIGN(const bool any, lines_.next(line));
            if (!any) break;
            if (repair_line(line)) note(Diag::kUncleanText, line);
            if (line.find_first_not_of(" \t\r") != line.npos) take(line, is_table);
            file_.tell_progress();
        }
        if (kernels_ == 0)
            return fail("is output of PyProf without a kernel", file_.name, {},
                        "give the database of nvprof that it was made of");
        for (const auto& [name, uses] : uses_tc_)
            if (!uses) builder_.add_kernel_without_tc(name);
        file_.note_damage(builder_);
        return ImportFacts{1, lines_.bytes(), kernels_};
    }

  private:
    void take(std::string_view line, bool is_table) {
        if (!is_table) return add(read_dict(line), line);
        std::vector<std::string> row;
        split_csv(line, row);
        if (names_.empty())
            names_ = std::move(row);
        else
            add(read_row(names_, row), line);
    }

    void note(Diag kind, std::string_view what) {
        builder_.diagnostics().add(
            kind, {file_.name, -1, -1, fmt::format("line {}: {}", lines_.number(), what.substr(0, 100))});
    }

    void add(const std::optional<KernelRow>& row, std::string_view line) {
        if (!row || row->ns > kMaxNs / 2 - clock_) return note(Diag::kBadEvent, line);
        DeviceSpan span;
        span.kind = row->kernel.starts_with("Memcpy")   ? DeviceKind::kMemcpy
                    : row->kernel.starts_with("Memset") ? DeviceKind::kMemset
                                                        : DeviceKind::kKernel;
        span.name = text(row->kernel);
        if (row->uses_tc && span.kind == DeviceKind::kKernel) uses_tc_[span.name] |= *row->uses_tc;
        if (span.kind != DeviceKind::kKernel)
            span.transfer = builder_.transfer(transfer_of_name(row->kernel));
        const DeviceId device = builder_.device(rank_, row->device);
        Device& known = builder_.device_info(device);
        known.declared = true;
        known.name = "NVIDIA GPU";  // it reads recordings of nvprof, and says no more of the device
        span.track = builder_.stream_track(TrackKind::kDeviceStream, device, 0, row->stream);
        LaunchConfig config;
        std::copy(row->grid.begin(), row->grid.end(), std::begin(config.grid));
        std::copy(row->block.begin(), row->block.end(), std::begin(config.block));
        span.config = builder_.launch_config(config);
        span.begin = clock_;
        span.dur = row->ns;
        if (names_.empty())
            add_call(*row, span);
        else
            builder_.add_device(span);
        if (!names_.empty() && !row->op.empty()) builder_.extend_device(op_of(*row));
        clock_ += std::max<int64_t>(row->ns, 1);
        ++kernels_;
    }

    // FLOPs and bytes are those of the kernel, not shared with the next one of the same op.
    ToldOpId op_of(const KernelRow& row) {
        const std::string path = (row.backward ? "gradients/" : "") + row.op;  // tells the direction
        alike_ = path == path_ ? alike_ + 1 : 0;
        path_ = path;
        ToldOp op;
        op.framework = text(alike_ == 0 ? path : fmt::format("{}#{}", path, alike_));
        op.name = op.type = text(row.backward ? row.op + "_backward" : row.op);
        op.layer = text(row.layer);
        op.flops = row.flops;
        op.bytes = row.bytes;
        op.is_product = is_product(row.op);
        return builder_.told_op(op);
    }

    // An op has no time on the host: it stands at the begin of its first kernel.
    void add_call(const KernelRow& row, DeviceSpan span) {
        if (!row.op.empty()) {
            const TrackId thread = builder_.host_track(rank_, 0, row.thread);
            if (row.call != call_ || thread != thread_) {
                begin_op(row, thread);
                call_ = row.call;
                thread_ = thread;
                call_begin_ = clock_;
            }
            span.correlation = ++launches_;
            builder_.add_flow({launches_, call_begin_, thread, FlowKind::kLaunch, true});
        } else {
            call_.clear();
        }
        builder_.add_device(span);
    }

    void begin_op(const KernelRow& row, TrackId thread) {
        HostSpan span;
        span.kind = HostKind::kOp;
        span.flags = kInstant;
        span.track = thread;
        span.begin = clock_;
        span.name = text(row.op);
        OpDetail detail;
        Signature signature;
        signature.shapes = text(row.shapes);
        signature.dtypes = text(row.dtypes);
        signature.concrete = text(row.concrete);
        detail.signature = builder_.signature(signature);
        detail.sequence = row.sequence;
        detail.module_path = text(row.layer);
        detail.stack = lines(row.stack);
        builder_.add_op(span, detail);
    }

    // A call stack, a function a line.
    StringId lines(std::string_view from) {
        std::string repaired;
        for (bool more = true; more;) {
            std::string line(from.substr(0, from.find('\n')));
            more = line.size() < from.size();
            from.remove_prefix(std::min(line.size() + 1, from.size()));
            if (repair_line(line)) note(Diag::kUncleanText, line);
            repaired.append(repaired.empty() ? "" : "\n").append(line);
        }
        return builder_.text(repaired);
    }

    // Escapes of literals may stand for what no text has.
    StringId text(std::string_view from) {
        if (is_clean(from)) return builder_.text(from);
        std::string repaired(from);
        if (clean_text(repaired)) note(Diag::kUncleanText, repaired);
        return builder_.text(repaired);
    }

    const OneFile& file_;
    LineReader lines_;
    ProfileBuilder& builder_;
    RankId rank_;
    std::vector<std::string> names_;    // of the table's columns
    std::map<StringId, bool> uses_tc_;  // by kernel, of those of which the table says: whether one did
    std::string call_, path_;
    int64_t alike_ = 0;  // rows of one op behind each other
    TrackId thread_;
    int64_t clock_ = 0, call_begin_ = 0, launches_ = 0;
    uint64_t kernels_ = 0;
};

}  // namespace

Kind kind_of(std::string_view first) {
    first = behind_space(first);
    if (first.empty()) return Kind::kNone;
    if (first.starts_with("{'kShortName'")) return Kind::kDicts;
    std::vector<std::string> names;
    split_csv(first.substr(0, first.find_first_of("\r\n")), names);
    const auto has = [&](std::string_view name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    return has("Kernel") && has("Sil(ns)") ? Kind::kTable : Kind::kNone;
}

Result<ImportFacts> import_output(const OneFile& file, ProfileBuilder& builder) {
    return Import(file, builder).run();
}

}  // namespace opsight::importer::pyprof
