#include "import/nvprof/printed.h"

#include <charconv>

#include "base/text.h"
#include "import/nvprof/printed_parts.h"
#include "import/text/line_reader.h"
#include "import/text/repair_line.h"
#include "model/source_limits.h"

namespace opsight::importer::nvprof {
namespace {

constexpr const char* kPrintAgain =
    "print it with 'nvprof --print-gpu-trace --print-api-trace --csv --log-file run.csv ...', or give the "
    "database "
    "that 'nvprof -o run.nvvp ...' writes";

std::string_view trimmed(std::string_view text) {
    return text::trimmed(text, " \t\r");
}

// "==22090== ..." or "======== ...": what stands behind it; `pid` 0: not told.
std::optional<std::string_view> log_line(std::string_view line, int64_t& pid) {
    if (!line.starts_with("==")) return std::nullopt;
    pid = 0;
    if (line.starts_with("======== ")) return trimmed(line.substr(9));
    const auto [end, error] = std::from_chars(line.data() + 2, line.data() + line.size(), pid);
    const std::string_view rest = line.substr(static_cast<size_t>(end - line.data()));
    if (error != std::errc() || pid < 0 || !rest.starts_with("== ")) return std::nullopt;
    return trimmed(rest.substr(3));
}

class Import {
  public:
    Import(const OneFile& file, ProfileBuilder& builder)
        : file_(file),
          lines_(file.source),
          builder_(builder),
          printed_{file, builder, file.begin_rank(builder)} {
        ranks_[0] = printed_.rank;
        builder_.info().producer = "nvprof";
        set_kernels_of_cuda_or_hip(builder_.info());
        builder_.info().sources.push_back(file.name);
    }

    Result<ImportFacts> run() {
        std::string line;
        for (;;) {
            line.clear();
            OPSIGHT_ASSIGN(const bool any, lines_.next(line));
            if (!any) break;
            printed_.line = lines_.number();
            if (repair_line(line)) printed_.note(Diag::kUncleanText, line);
            take(line);
            file_.tell_progress();
        }
        trace_.finish();
        OPSIGHT_TRY(sums_.finish(trace_.events() > 0));
        const uint64_t events = trace_.events() + sums_.events();
        if (events == 0)
            return fail(any_table_ ? "is output of nvprof whose tables have no rows"
                                   : "is output of nvprof without a table that Opsight reads",
                        file_.name, {}, kPrintAgain);
        file_.note_damage(builder_);
        return ImportFacts{1, lines_.bytes(), events};
    }

  private:
    void take(std::string_view line) {
        int64_t pid = 0;
        if (const auto told = log_line(line, pid)) return take_log(*told, pid);
        if (trimmed(line).empty()) {
            behind_rows_ = true;
            return;
        }
        if (auto table = PrintedTable::of(line)) {
            table_ = std::move(table);
            any_table_ = true;
            behind_rows_ = false;
            units_may_follow_ = table_->is_csv();
            type_ = summary_of_calls_ ? "API calls" : "GPU activities";
            return;
        }
        if (sums_.take_cpu_faults(trimmed(line))) return;
        if (table_) return take_row(line);
        if (unified_memory_ && take_device(line)) return;
        others_ = true;
    }

    // Records of work on a device that did not fit are named by how many they were.
    void take_warning(std::string_view told) {
        printed_.note(Diag::kSourceWarning, told);
        int64_t records = 0;
        const auto [end, error] = std::from_chars(told.data(), told.data() + told.size(), records);
        const std::string_view rest = told.substr(static_cast<size_t>(end - told.data()));
        if (error == std::errc() && records > 0 && rest.starts_with(" records have invalid timestamps"))
            printed_.note(Diag::kLostDeviceWork, told, records);
    }

    // 'Device "TITAN Xp (0)"', which stands above the table of unified memory.
    bool take_device(std::string_view line) {
        constexpr std::string_view kBefore = "Device \"";
        if (!line.starts_with(kBefore) || !line.ends_with('"') || line.size() == kBefore.size()) return false;
        device_ = line.substr(kBefore.size(), line.size() - kBefore.size() - 1);
        return true;
    }

    // A log that runs are added to has one behind the other, and what else they print between: ranks of a job
    // begin before any of them ends, unless their logs were joined.
    void begin_process(std::string_view told, int64_t pid) {
        if (const size_t command = told.find(", command: "); command != told.npos)
            builder_.info().properties.emplace_back("command", told.substr(command + 11));
        if (printed_.pid == 0 || pid == printed_.pid || !others_ || std::exchange(several_runs_, true))
            return;
        printed_.note(Diag::kNotOneJob,
                      fmt::format("process {} begins behind the results of process {}", pid, printed_.pid));
    }

    // A process's tables have its number; its times count from its own begin, so it is a rank of its own.
    void take_log(std::string_view told, int64_t pid) {
        if (told.starts_with("NVPROF is profiling process")) begin_process(told, pid);
        if (told.starts_with("Warning: ")) take_warning(told.substr(9));
        summary_of_calls_ = told == "API calls:";
        unified_memory_ = told.starts_with("Unified Memory");
        if (!told.ends_with("result:") && !summary_of_calls_) return;
        table_.reset();
        others_ = false;
        device_.clear();
        kernel_.clear();
        if (told.starts_with("OpenMP") || told.starts_with("OpenACC")) printed_.note(Diag::kUnreadRow, told);
        if (pid == 0 || pid == printed_.pid) return;
        const bool first = ranks_.size() == 1;
        const auto [known, is_new] = ranks_.try_emplace(pid, printed_.rank);
        if (is_new && !first) known->second = file_.begin_rank(builder_);
        printed_.rank = known->second;
        printed_.pid = pid;
    }

    void take_row(std::string_view line) {
        const bool below_subjects =
            table_->kind() == TableKind::kMetrics || table_->kind() == TableKind::kUnified;
        if (!table_->is_csv() && below_subjects && take_subject(line)) return;
        if (table_->kind() == TableKind::kSummary) line = without_type(line);
        if (line.starts_with("No kernels were profiled") || line.starts_with("No API activities")) return;
        if (!table_->split(line, row_)) return pass_over(line);
        if (std::exchange(units_may_follow_, false) && table_->take_units(row_)) return;
        switch (table_->kind()) {
            case TableKind::kTrace:
                return trace_.add(*table_, row_);
            case TableKind::kSummary:
                if (table_->is_csv() && table_->has(Field::kType)) type_ = table_->of(row_, Field::kType);
                return sums_.add_sum(*table_, row_, type_);
            case TableKind::kMetrics:
                if (table_->is_csv())
                    return sums_.add_metric(*table_, row_, table_->of(row_, Field::kDevice),
                                            table_->of(row_, Field::kName));
                return sums_.add_metric(*table_, row_, device_, kernel_);
            case TableKind::kMetricTrace:
                return sums_.add_launch(*table_, row_);
            case TableKind::kUnified:
                return sums_.add_unified(*table_, row_,
                                         table_->is_csv() ? table_->of(row_, Field::kDevice) : device_);
        }
    }

    // In text, what metrics are of stands above them.
    bool take_subject(std::string_view line) {
        line = trimmed(line);
        if (line.starts_with("Device \"") && line.ends_with('"'))
            device_ = line.substr(8, line.size() - 9);
        else if (line.starts_with("Kernel: "))
            kernel_ = line.substr(8);
        else
            return false;
        return true;
    }

    // " GPU activities:  97.2% ..."; the rows below have none, so what is left has a column less.
    std::string_view without_type(std::string_view line) {
        if (table_->is_csv() || !table_->has(Field::kType)) return line;
        for (const std::string_view type :
             {"GPU activities", "API calls", "OpenMP (incl)", "OpenACC (excl)"}) {
            const std::string_view text = trimmed(line);
            if (!text.starts_with(type) || !text.substr(type.size()).starts_with(':')) continue;
            type_ = type;
            padded_ = fmt::format("{}:  {}", type, trimmed(text.substr(type.size() + 1)));
            return padded_;
        }
        padded_ = fmt::format("{}:  {}", type_, trimmed(line));
        return padded_;
    }

    // What the program printed may stand anywhere; legends stand behind a table.
    void pass_over(std::string_view line) {
        others_ = true;
        const bool is_number = !trimmed(line).empty() && trimmed(line)[0] >= '0' && trimmed(line)[0] <= '9';
        if (!behind_rows_ && is_number) printed_.note(Diag::kUnreadRow, "not a row of the table");
    }

    const OneFile& file_;
    LineReader lines_;
    ProfileBuilder& builder_;
    Printed printed_;
    TraceRows trace_{printed_};
    SumRows sums_{printed_};
    std::optional<PrintedTable> table_;
    Row row_;
    bool units_may_follow_ = false, behind_rows_ = false, any_table_ = false, summary_of_calls_ = false,
         several_runs_ = false, unified_memory_ = false;
    bool others_ = false;  // lines of the program behind the last results
    std::string device_, kernel_, type_, padded_;
    absl::flat_hash_map<int64_t, RankId> ranks_;  // by process
};

}  // namespace

Result<ImportFacts> import_printed(const OneFile& file, ProfileBuilder& builder) {
    return Import(file, builder).run();
}

}  // namespace opsight::importer::nvprof
