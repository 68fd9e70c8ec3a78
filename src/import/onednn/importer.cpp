#include "import/onednn/importer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/time.h"
#include "import/onednn/line.h"
#include "import/text/clean_text.h"
#include "import/text/line_reader.h"
#include "import/text/lists.h"
#include "model/source_limits.h"

namespace opsight::importer::onednn {
namespace {

class Import {
  public:
    Import(const OneFile& file, ProfileBuilder& builder)
        : file_(file), lines_(file.source), builder_(builder), rank_(file.begin_rank(builder)) {
        track_ = builder_.host_track(rank_, 0, 0);
        builder_.info().producer = "oneDNN";
        set_parts_of_ops(builder_.info());
        builder_.info().sources.push_back(file.name);
    }

    Result<ImportFacts> run() {
        std::string text;
        for (;;) {
            text.clear();
            OPSIGHT_ASSIGN(const bool any, lines_.next(text));
            if (!any) break;
            if (!is_clean(text)) clean_text(text);
            if (const auto told = behind_marker(text)) take(read_line(*told), text);
            file_.tell_progress();
        }
        if (events_ == 0)
            return fail("is a log of oneDNN in which nothing was executed", file_.name, {},
                        "record with ONEDNN_VERBOSE=1 (and ONEDNN_VERBOSE_TIMESTAMP=1, so that wall clock is "
                        "known too)");
        if (timed_ < events_) set_durations_only(builder_.info());
        if (on_gpu_ > 0)
            set_devices_untold(
                builder_.info(),
                fmt::format("{} of {} primitives ran on a GPU (onednn_gpu): their times are those that the "
                            "host measured around them, and what the device did is not known",
                            on_gpu_, executed_),
                UntoldDevices::kGpus);
        file_.note_damage(builder_);
        return ImportFacts{1, lines_.bytes(), events_};
    }

  private:
    void take(const Line& line, std::string_view text) {
        switch (line.kind) {
            case LineKind::kInfo:
                return take_info(line.info);
            case LineKind::kExecution:
            case LineKind::kCreation:
                return add(line);
            case LineKind::kBad:
                return note(Diag::kBadEvent, text.substr(0, 200));
            case LineKind::kOther:
                return note(Diag::kUnreadRow, text.substr(0, 200));
        }
    }

    // "oneDNN v2.6.3 (commit N/A)", "cpu,isa:Intel AVX-512 ..."
    void take_info(std::string_view info) {
        for (const std::string_view library : {"oneDNN v", "DNNL v", "Intel MKL-DNN v"})
            if (info.starts_with(library)) builder_.info().producer = info.substr(0, info.find(" (commit"));
        constexpr std::string_view kIsa = "cpu,isa:";
        if (info.starts_with(kIsa))
            builder_.info().properties.emplace_back("cpu isa", info.substr(kIsa.size()));
    }

    // Where lines have no times they stand one behind the other.
    void add(const Line& line) {
        HostSpan span;
        span.kind = HostKind::kOp;
        span.track = track_;
        span.begin = line.begin_ns >= 0 ? line.begin_ns : clock_;
        if (line.dur_ns > kMaxNs / 4 || span.begin > kMaxNs / 2) return note(Diag::kBadTime, line.primitive);
        span.dur = line.dur_ns;
        span.name = builder_.text(name_of(line));
        OpDetail detail;
        Signature signature;
        signature.shapes = builder_.text(shapes_of(line.primitive, line.problem));
        signature.dtypes = builder_.text(types_of(line.memory));
        signature.concrete = builder_.text(values_of(line));
        detail.signature = builder_.signature(signature);
        builder_.add_op(span, detail);
        clock_ = span.begin + std::max<int64_t>(span.dur, 1);  // what took 0.0 ms does not hold the next
        timed_ += line.begin_ns >= 0;
        if (line.kind == LineKind::kExecution) {
            ++executed_;
            on_gpu_ += is_of_gpu(line);
        }
        ++events_;
    }

    // "onednn::convolution", "onednn_gpu::convolution_backward" (of "gpu:0", too),
    // "onednn::create_convolution (cache_miss)"
    static std::string name_of(const Line& line) {
        std::string_view engine = line.engine.substr(0, line.engine.find(':'));
        if (engine == "cpu") engine = {};
        std::string name = fmt::format("onednn{}{}::{}{}", engine.empty() ? "" : "_", engine,
                                       line.kind == LineKind::kCreation ? "create_" : "", line.primitive);
        if (line.direction.starts_with("backward")) name += "_backward";
        const size_t cache = line.operation.find(":cache_");
        if (cache != line.operation.npos) name += fmt::format(" ({})", line.operation.substr(cache + 1));
        return name;
    }

    // Behind an empty value for each input what comes out, and the rest of the line.
    static std::string values_of(const Line& line) {
        std::vector<std::string> values(count_of_inputs(line.primitive, line.problem));
        if (const std::string result = result_of(line); !result.empty()) values.push_back("-> " + result);
        if (const std::string layouts = layouts_of(line); !layouts.empty()) values.push_back(layouts);
        const bool numbered = line.engine.find(':') != line.engine.npos;
        for (const std::string_view part : {numbered ? line.engine : std::string_view(), line.implementation,
                                            line.direction, line.attributes, line.auxiliary, line.problem})
            if (!part.empty() && part != "undef") values.emplace_back(part);
        std::transform(values.begin(), values.end(), values.begin(), in_quotes);
        return values.empty() ? std::string() : fmt::format("[{}]", fmt::join(values, ", "));
    }

    void note(Diag diag, std::string_view text) {
        builder_.diagnostics().add(diag,
                                   {file_.name, -1, -1, fmt::format("line {}: {}", lines_.number(), text)});
    }

    const OneFile& file_;
    LineReader lines_;
    ProfileBuilder& builder_;
    RankId rank_;
    TrackId track_;
    int64_t clock_ = 0;
    uint64_t events_ = 0, timed_ = 0, executed_ = 0, on_gpu_ = 0;
};

}  // namespace

Result<ImportFacts> import_log(const OneFile& file, ProfileBuilder& builder) {
    return Import(file, builder).run();
}

}  // namespace opsight::importer::onednn
