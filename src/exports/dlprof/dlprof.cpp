#include "exports/dlprof/dlprof.h"

#include <fmt/format.h>

#include <optional>

#include "base/output_file.h"
#include "exports/dlprof/recorded_rows.h"
#include "exports/dlprof/schema.h"
#include "exports/sql.h"
#include "query/dlprof/tables.h"
#include "query/session/cells.h"

namespace opsight::exports {
namespace {

namespace dlprof = query::dlprof;

constexpr int64_t kAggregation = 1;
constexpr int64_t kMemory = int64_t{128} << 20;  // of DuckDB, beside what is found

// What is aggregated: the range, and what DLProf would say of it.
struct Aggregation {
    dlprof::Overview overview;
    dlprof::Spans list;
    std::vector<int64_t> numbers;  // of the list
    int64_t start = 0, stop = 0;   // numbers
    bool whole = true;
    std::string key_op;
    std::vector<std::vector<query::Cell>> findings;
    std::map<std::string, std::string> system;  // as the summary shows it
    std::vector<std::string> notes;
};

Aggregation aggregation_of(const dlprof::Model& model) {
    const dlprof::Iterations& it = model.iterations;
    Aggregation a;
    a.overview = dlprof::overview(model);
    a.list = it.list;
    for (int64_t i = 0; i < std::ssize(it.list); ++i)
        a.numbers.push_back(it.number(i));
    a.start = it.number(it.start);
    a.stop = it.number(it.stop);
    a.whole = it.start == 0 && it.stop == std::ssize(it.list) - 1;
    if (it.split) a.key_op = it.key_op;
    a.notes = model.notes;
    a.findings = dlprof::expert_systems(model, a.overview).sections.at(0).table.rows;
    const query::Report summary = dlprof::summary(model, a.overview);
    for (const auto& row : summary.sections.at(0).table.rows)
        a.system[query::text(row.at(0))] = query::text(row.at(1));
    return a;
}

class DatabaseWriter {
  public:
    DatabaseWriter(query::Source& source, sqlite::Writer& file, Dictionary& dictionary)
        : source_(source), file_(file), dictionary_(dictionary) {}

    Status write(const Aggregation& a, const dlprof::Recording& recording, const std::string& name) {
        OPSIGHT_TRY(add("db_version VALUES ('1.8.0', '1.8.0')", {}));
        OPSIGHT_TRY(system(a, recording, name));
        OPSIGHT_TRY(model_config(recording));
        OPSIGHT_TRY(gpus(recording));
        return iterations(a);
    }

  private:
    Status add(const std::string& into, std::initializer_list<sqlite::Value> values) {
        OPSIGHT_ASSIGN(const size_t row, file_.prepare("INSERT INTO " + into));
        return file_.add(row, values);
    }

    static sqlite::Value text_or_null(const std::string& text) {
        return text.empty() ? sqlite::Value(nullptr) : sqlite::Value(text);
    }

    Status system(const Aggregation& a, const dlprof::Recording& recording, const std::string& name) {
        const auto told = [&](const char* what) {
            const auto found = a.system.find(what);
            return found == a.system.end() ? sqlite::Value(nullptr) : text_or_null(found->second);
        };
        const auto framework = a.system.find("Framework");
        const std::string_view by = framework == a.system.end() ? std::string_view() : framework->second;
        std::string mode = recording.property("dlprof_mode");
        if (mode.empty() && by.starts_with("PyTorch")) mode = "pytorch";
        if (mode.empty() && by.starts_with("TensorFlow 1")) mode = "tensorflow1";
        // Numbers of other modes are not known.
        const sqlite::Value number = mode == "pytorch"       ? sqlite::Value(int64_t{4})
                                     : mode == "tensorflow1" ? sqlite::Value(int64_t{1})
                                                             : sqlite::Value(nullptr);
        const std::string command = recording.property("command");
        return add("read_only_system_config VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   {told("GPU Count"), told("CPU Model"), told("GPU Driver Version"), told("Framework"),
                    told("CUDA Version"), told("cuDNN Version"), told("NSys Version"), told("DLProf Version"),
                    told("DLProf Build"), name, number, text_or_null(mode), text_or_null(command)});
    }

    Status model_config(const dlprof::Recording& recording) {
        constexpr const char* kColumns[] = {
            "num_workers", "pin_memory",    "cudnn_benchmark_disabled", "detect_anomaly",
            "gradcheck",   "gradgradcheck", "autograd_profile",         "autograd_set_detect_anomaly",
            "emit_nvtx",   "amp_enabled"};
        bool is_told = false;
        for (const char* column : kColumns)
            is_told |= !recording.property(std::string("model_") + column).empty();
        if (!is_told) return {};
        OPSIGHT_TRY(add("read_only_model_config DEFAULT VALUES", {}));
        for (const char* column : kColumns) {
            const std::string value = recording.property(std::string("model_") + column);
            if (value.empty()) continue;
            OPSIGHT_ASSIGN(const size_t set,
                           file_.prepare(fmt::format("UPDATE read_only_model_config SET {} = ?", column)));
            OPSIGHT_TRY(file_.add(set, {value}));
        }
        return {};
    }

    // Each board once. How much of its memory was used is not known, which 0 says.
    Status gpus(const dlprof::Recording& recording) {
        std::vector<std::pair<int64_t, int64_t>> sizes(recording.devices.size());
        OPSIGHT_ASSIGN(const duck::Rows rows, source_.query(sql::dlprof_boards));
        for (const auto& row : rows.rows) {
            const auto id = static_cast<size_t>(query::integer(row[0]));
            if (id >= recording.device_of.size()) continue;
            auto& [sms, memory] = sizes.at(static_cast<size_t>(recording.device_of[id]));
            sms = std::max(sms, query::integer(row[1]));
            memory = std::max(memory, query::integer(row[2]));
        }
        for (size_t i = 0; i < recording.devices.size(); ++i) {
            const dlprof::Device& device = recording.devices[i];
            const auto told = [](int64_t number) {
                return number > 0 ? sqlite::Value(number) : sqlite::Value(nullptr);
            };
            const bool has_compute = device.compute_major > 0;
            OPSIGHT_TRY(add("read_only_gpu_infos VALUES (NULL, ?, ?, ?, ?, ?)",
                            {device.number, device.name, told(device.compute_major),
                             has_compute ? sqlite::Value(device.compute_minor) : sqlite::Value(nullptr),
                             told(sizes[i].first)}));
            OPSIGHT_TRY(add("gpu_memories VALUES (NULL, ?, 0)", {sizes[i].second}));
        }
        return {};
    }

    Status iterations(const Aggregation& a) {
        OPSIGHT_ASSIGN(const size_t row,
                       file_.prepare("INSERT INTO iteration_list VALUES (NULL, ?, ?, ?, ?)"));
        for (size_t i = 0; i < a.list.size(); ++i)
            OPSIGHT_TRY(file_.add(row, {kAggregation, a.numbers[i], source_.shown_time(a.list[i].first),
                                        source_.shown_time(a.list[i].second)}));
        OPSIGHT_ASSIGN(const int64_t key, dictionary_.number(a.key_op));
        OPSIGHT_TRY(add("iteration_key VALUES (NULL, ?, ?)", {kAggregation, key}));
        const auto aggregated = static_cast<int64_t>(std::count_if(
            a.numbers.begin(), a.numbers.end(), [&](int64_t n) { return n >= a.start && n <= a.stop; }));
        OPSIGHT_TRY(add("model_summary VALUES (?, ?, ?, ?, ?, ?, ?)",
                        {kAggregation, a.overview.mean_iteration, a.overview.deviation, std::ssize(a.list),
                         aggregated, a.start, a.stop}));
        for (const auto& finding : a.findings) {
            const std::string problem = query::text(finding.at(0)),
                              recommendation = query::text(finding.at(1));
            OPSIGHT_TRY(add("expert_systems_feedback VALUES (?, NULL, ?, ?, NULL, NULL)",
                            {kAggregation, problem, recommendation}));
        }
        return {};
    }

    query::Source& source_;
    sqlite::Writer& file_;
    Dictionary& dictionary_;
};

// The recording is written whole, whatever the range.
Result<dlprof::Model> whole_recording(query::Source& source, const Aggregation& a) {
    dlprof::Options options;
    options.start = a.numbers.front();
    options.stop = a.numbers.back();
    return dlprof::read_model(source, options);
}

Result<std::string> write_dlprof(const Job& job) {
    if (job.scope.rank)
        return fail(Error{"a database of DLProf is of all ranks", {}, {}, "leave --rank out", 2});
    OPSIGHT_ASSIGN(OutputFile output, OutputFile::reserve(job.output, job.replace));
    db::ReadOptions reading;
    reading.threads = 2;
    reading.memory_limit_bytes = kMemory;
    OPSIGHT_ASSIGN(query::Source source, query::Source::open(job.profile, {}, reading));
    dlprof::Options options;
    options.start = job.scope.start;
    options.stop = job.scope.stop;
    std::optional<dlprof::Model> model;
    OPSIGHT_ASSIGN(model, dlprof::read_model(source, options));
    const Aggregation aggregation = aggregation_of(*model);
    if (!aggregation.whole) {
        model.reset();
        OPSIGHT_ASSIGN(model, whole_recording(source, aggregation));
    }
    OPSIGHT_ASSIGN(sqlite::Writer file,
                   sqlite::Writer::create(output.temporary(), job.output, kDlprofSchema));
    OPSIGHT_ASSIGN(Dictionary dictionary, Dictionary::create(file));
    DatabaseWriter writer(source, file, dictionary);
    OPSIGHT_TRY(writer.write(aggregation, model->recording, "dlprof"));
    const std::function<int64_t(int64_t)> shown = [&source](int64_t time) { return source.shown_time(time); };
    OPSIGHT_ASSIGN(const RecordedCounts counts, write_recorded(source, *model, shown, file, dictionary));
    OPSIGHT_TRY(file.finish());
    OPSIGHT_TRY(output.commit());
    std::string done = fmt::format("{} ops, {} calls of them, {} kernels, copies and sets, {} iterations",
                                   counts.ops, counts.calls, counts.work, aggregation.list.size());
    if (counts.left_out > 0)
        done += fmt::format("; left out: {} API calls, kernels, copies and sets outside of all iterations",
                            counts.left_out);
    for (const std::string& note : aggregation.notes)
        done += "; " + note;
    return done;
}

}  // namespace

Format dlprof_format() {
    return {"dlprof",
            "_dldb.sqlite",
            "a database with what DLProf 1.8 recorded: ops, kernels, iterations, findings",
            false,
            false,
            write_dlprof};
}

}  // namespace opsight::exports
