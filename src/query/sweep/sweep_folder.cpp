#include "query/sweep/sweep_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/json_writer.h"
#include "base/output_file.h"
#include "base/small_file.h"
#include "db/rules.h"
#include "query/session/session.h"
#include "query/sweep/prediction.h"

namespace opsight::query {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kFormat = 1;
constexpr size_t kLargest = size_t{64} << 20;  // bytes of a file that a sweep keeps
constexpr size_t kLongestPlain = 120;

Status replace_file(const std::string& path, std::string_view text) {
    OPSIGHT_ASSIGN(OutputFile file, OutputFile::create(path, true));
    OPSIGHT_TRY(file.write(text));
    return file.commit();
}

std::string maker() {
    return fmt::format("{} {}", OPSIGHT_VERSION, db::rules());
}

// A name for a file: what is no plain letter is one, and what was changed or cut has a sum of it all.
std::string plain(const std::string& name) {
    std::string out;
    uint64_t sum = 14695981039346656037u;  // FNV-1a
    for (const char c : name) {
        sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211u;
        const bool letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        out += letter || std::strchr("=,._+-", c) ? c : '_';
    }
    if (out == name && out.size() <= kLongestPlain) return out;
    return fmt::format("{}-{:016x}", out.substr(0, kLongestPlain), sum);
}

std::string text_of(const Json& in, const char* key) {
    return in.contains(key) && in[key].is_string() ? in[key].get<std::string>() : std::string();
}

Result<std::vector<std::string>> texts_of(const Json& in, const char* key, const std::string& path) {
    std::vector<std::string> out;
    if (!in.contains(key) || !in[key].is_array()) return fail(fmt::format("has no list \"{}\"", key), path);
    for (const Json& each : in[key]) {
        if (!each.is_string()) return fail(fmt::format("\"{}\" holds what is not a text", key), path);
        out.push_back(each.get<std::string>());
    }
    return out;
}

std::optional<SweepRun> run_of(const std::string& line) {
    const Json in = Json::parse(line, nullptr, false);
    if (!in.is_object() || !in.contains("point") || !in["point"].is_string()) return std::nullopt;
    if (!in.contains("repeat") || !in["repeat"].is_number_integer()) return std::nullopt;
    SweepRun run;
    run.point = in["point"].get<std::string>();
    run.repeat = in["repeat"].get<int64_t>();
    run.bare = in.contains("bare") && in["bare"].is_boolean() && in["bare"].get<bool>();
    run.failed = text_of(in, "failed");
    if (in.contains("wall_s") && in["wall_s"].is_number()) run.wall_s = in["wall_s"].get<double>();
    if (in.contains("rss_bytes") && in["rss_bytes"].is_number_integer())
        run.rss_bytes = in["rss_bytes"].get<int64_t>();
    if (in.contains("took_s") && in["took_s"].is_number()) run.took_s = in["took_s"].get<double>();
    return run;
}

std::string line_of(const SweepRun& run) {
    JsonWriter out;
    out.object([&] {
        out.field("point", run.point)
            .field("repeat", run.repeat)
            .field("bare", run.bare)
            .field("failed", run.failed);
        out.field("wall_s", run.wall_s).field("rss_bytes", run.rss_bytes).field("took_s", run.took_s);
    });
    return out.take() + "\n";
}

Status no_room_for(const std::string& path) {
    return fail(std::string("cannot be written: ") + std::strerror(errno), path, {},
                "choose a folder that can be written to with -o");
}

}  // namespace

// Another tool's file of that name is not a plan of ours; a damaged one of ours has its runs beside it.
bool is_sweep(const std::string& path) {
    std::error_code problem;
    if (!fs::is_regular_file(path + "/sweep.json", problem)) return false;
    if (fs::is_regular_file(path + "/runs.jsonl", problem)) return true;
    const Result<std::string> text = small_regular_file(path + "/sweep.json", kLargest);
    return text && text->find("\"opsight_sweep\"") != std::string::npos;
}

Result<RecordedRun> read_profile_of_run(const std::string& profile, bool may_write) {
    db::ReadOptions options;
    options.may_write = may_write;
    OPSIGHT_ASSIGN(Session session, Session::open(profile, {}, options));
    return read_recorded_run(session, profile);
}

SweepFolder::SweepFolder(SweepFolder&& other) noexcept
    : path_(std::move(other.path_)),
      plan_(std::move(other.plan_)),
      runs_(std::move(other.runs_)),
      unread_(other.unread_),
      first_unread_(other.first_unread_),
      torn_(other.torn_),
      lock_(std::exchange(other.lock_, -1)),
      lines_(std::exchange(other.lines_, -1)) {}

SweepFolder::~SweepFolder() {
    if (lines_ >= 0) close(lines_);
    if (lock_ >= 0) close(lock_);
}

Result<SweepFolder> SweepFolder::open(const std::string& path) {
    SweepFolder folder(path);
    OPSIGHT_TRY(folder.read_plan());
    OPSIGHT_TRY(folder.read_runs());
    return folder;
}

Result<SweepFolder> SweepFolder::open_for(const std::string& path, const SweepPlan& plan) {
    SweepFolder folder(path);
    std::error_code problem;
    fs::create_directories(fs::path(path) / "runs", problem);
    if (problem)
        return fail("cannot be made: " + problem.message(), path, {},
                    "choose a folder that can be written to with -o");
    OPSIGHT_TRY(folder.lock());
    if (fs::exists(path + "/sweep.json", problem)) {
        OPSIGHT_TRY(folder.read_plan());
        OPSIGHT_TRY(folder.read_runs());
        // Of a command that never ran, as one that is spelled wrong, nothing is there to keep.
        if (!folder.runs_.empty() || folder.unread_ > 0) OPSIGHT_TRY(folder.check_same(plan));
    }
    folder.plan_ = plan;
    OPSIGHT_TRY(folder.write_plan());
    const std::string lines = path + "/runs.jsonl";
    folder.lines_ = ::open(lines.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (folder.lines_ < 0) return fail(no_room_for(lines).error());
    // What was cut ends here, so that the next line is one.
    if (folder.torn_ && ::write(folder.lines_, "\n", 1) != 1) return fail(no_room_for(lines).error());
    return folder;
}

Status SweepFolder::lock() {
    const std::string path = path_ + "/lock";
    lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (lock_ < 0) return no_room_for(path);
    if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return {};
    return fail("another sweep is running in it", path_, {}, "wait for it, or choose another folder with -o");
}

Status SweepFolder::read_plan() {
    const std::string path = path_ + "/sweep.json";
    std::error_code ignored;
    if (!fs::exists(path, ignored))
        return fail("is not the folder of a sweep: it has no sweep.json", path_, {},
                    "'opsight sweep --vary NAME=VALUES -o FOLDER -- COMMAND' makes one");
    OPSIGHT_ASSIGN(const std::string text, small_regular_file(path, kLargest));
    const Json in = Json::parse(text, nullptr, false);
    if (!in.is_object() || !in.contains("opsight_sweep") || !in.contains("parameters") ||
        !in["parameters"].is_array())
        return fail("is not the plan of a sweep", path);
    if (in["opsight_sweep"] != kFormat)
        return fail("is of another version of Opsight", path, {},
                    "use that one, or sweep again in another folder");
    OPSIGHT_ASSIGN(plan_.command, texts_of(in, "command", path));
    plan_.imported = in.contains("imported") && in["imported"] == true;
    for (const Json& each : in["parameters"]) {
        if (!each.is_object()) return fail("a parameter is not an object", path);
        OPSIGHT_ASSIGN(std::vector<std::string> values, texts_of(each, "values", path));
        // Through the parser, so that a file holds no more than a command line may.
        OPSIGHT_ASSIGN(
            plan::Parameter parameter,
            plan::parse_parameter(fmt::format("{}={}", text_of(each, "name"), fmt::join(values, ","))));
        plan_.parameters.push_back(std::move(parameter));
    }
    if (plan_.parameters.empty()) return fail("varies nothing", path);
    return {};
}

Status SweepFolder::write_plan() const {
    JsonWriter out(2);
    out.object([&] {
        out.field("opsight_sweep", kFormat).field("imported", plan_.imported).field("command", plan_.command);
        out.list("parameters", [&] {
            for (const plan::Parameter& each : plan_.parameters)
                out.object([&] { out.field("name", each.name).field("values", each.values); });
        });
    });
    return replace_file(path_ + "/sweep.json", out.take() + "\n");
}

Status SweepFolder::check_same(const SweepPlan& wanted) const {
    const auto other = [&](const std::string& what) {
        return fail(
            fmt::format("holds a sweep of {}", what), path_, {},
            "choose another folder with -o; more values or repetitions of the same sweep may stay in it");
    };
    if (plan_.command != wanted.command || plan_.imported != wanted.imported)
        return other(fmt::format("another command: {}", fmt::join(plan_.command, " ")));
    if (plan_.parameters.size() != wanted.parameters.size()) return other("other parameters");
    for (size_t i = 0; i < plan_.parameters.size(); ++i) {
        const plan::Parameter &has = plan_.parameters[i], &asked = wanted.parameters[i];
        if (has.name != asked.name) return other("other parameters");
        for (const std::string& value : has.values)
            if (std::find(asked.values.begin(), asked.values.end(), value) == asked.values.end())
                return other(fmt::format("{}={} too, which is not asked for now", has.name, value));
    }
    return {};
}

Status SweepFolder::read_runs() {
    const std::string path = path_ + "/runs.jsonl";
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return {};  // nothing has run yet
    OPSIGHT_ASSIGN(const std::string text, small_regular_file(path, kLargest));
    torn_ = !text.empty() && !text.ends_with('\n');
    std::istringstream lines(text);
    size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line.empty()) continue;
        if (runs_.size() > plan::kMostRuns)
            return fail(fmt::format("has more than {} runs", plan::kMostRuns), path, {},
                        "sweep fewer values, or into several folders");
        std::optional<SweepRun> run = run_of(line);
        if (run)
            runs_.insert_or_assign({run->point, run->repeat, run->bare}, *run);
        else if ((!torn_ || !lines.eof()) && unread_++ == 0)  // half a line at the end: a machine went down
            first_unread_ = number;
    }
    return {};
}

const SweepRun* SweepFolder::find(const std::string& point, int64_t repeat, bool bare) const {
    const auto found = runs_.find({point, repeat, bare});
    return found == runs_.end() ? nullptr : &found->second;
}

void SweepFolder::forget_failures() {
    std::erase_if(runs_, [](const auto& each) { return !each.second.failed.empty(); });
}

Status SweepFolder::add(const SweepRun& run) {
    const std::string line = line_of(run);
    if (::write(lines_, line.data(), line.size()) != static_cast<ssize_t>(line.size()) ||
        ::fdatasync(lines_) != 0)
        return no_room_for(path_ + "/runs.jsonl");
    runs_.insert_or_assign({run.point, run.repeat, run.bare}, run);
    return {};
}

std::string SweepFolder::file_of(const std::string& point, const std::string& ending) const {
    return fmt::format("{}/runs/{}{}", path_, plain(point), ending);
}
std::string SweepFolder::profile_of(const std::string& point, int64_t repeat) const {
    return file_of(point, fmt::format(".{}.opsight", repeat));
}
std::string SweepFolder::source_of(const PointOfSweep& point, int64_t repeat) const {
    if (!plan_.imported) return profile_of(point.name, repeat);
    const auto words = plan::words_of_point(plan_.command, plan_.parameters, point.values);
    return words && !words->empty() ? words->front() : std::string();
}
std::string SweepFolder::output_of(const std::string& point, int64_t repeat, bool bare) const {
    return file_of(point, fmt::format(".{}.{}.txt", repeat, bare ? "bare" : "recorded"));
}

Status SweepFolder::keep(const std::string& point, int64_t repeat, const RecordedRun& recorded) const {
    return replace_file(file_of(point, fmt::format(".{}.json", repeat)),
                        recorded_run_json(recorded, maker()));
}

Status SweepFolder::keep(const Prediction& prediction) const {
    return replace_file(path_ + "/prediction.json", prediction_json(prediction));
}

void SweepFolder::take_prediction(Sweep& sweep) const {
    const std::string path = path_ + "/prediction.json";
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return;
    auto text = small_regular_file(path, kLargest);
    auto prediction = text ? parse_prediction(*text, path) : Result<Prediction>(fail(text.error()));
    if (prediction)
        sweep.prediction = std::move(*prediction);
    else
        sweep.notes.push_back("the prediction that was kept is passed over: " + prediction.error().message());
}

Result<KeptRun> SweepFolder::kept(const SweepRun& run) const {
    const std::string path = file_of(run.point, fmt::format(".{}.json", run.repeat));
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return fail("is not there", path);
    OPSIGHT_ASSIGN(const std::string text, small_regular_file(path, kLargest));
    return parse_recorded_run(text, path);
}

bool SweepFolder::keeps_own(const SweepRun& run, const std::string& source) const {
    const Result<KeptRun> there = kept(run);
    if (!there || there->made_by != maker()) return false;
    std::error_code no_source, ignored;
    const fs::file_time_type changed = fs::last_write_time(source, no_source);
    return no_source ||
           changed <= fs::last_write_time(file_of(run.point, fmt::format(".{}.json", run.repeat)), ignored);
}

Result<RecordedRun> SweepFolder::recorded(const SweepRun& run, std::vector<std::string>& notes,
                                          bool may_write) const {
    Result<KeptRun> there = kept(run);
    if (there && there->made_by == maker()) return std::move(there->run);
    Result<RecordedRun> read = read_profile_of_run(profile_of(run.point, run.repeat), may_write);
    if (read) {
        if (may_write)
            static_cast<void>(
                keep(run.point, run.repeat, *read));  // where it cannot be kept it is read again
        return read;
    }
    if (!there)
        return fail(fmt::format("its profile cannot be read: {}; and what was kept of it {}",
                                read.error().message(), there.error().message()));
    notes.push_back(fmt::format(
        "{}, run {}: what another Opsight kept of it ({}) stands, for its profile is not there to "
        "be read again",
        run.point, run.repeat, there->made_by));
    return std::move(there->run);
}

Result<Sweep> SweepFolder::read(bool may_write, const CancellationToken* asker) const {
    Sweep out;
    out.label = fs::path(path_).lexically_normal().filename().string();
    if (out.label.empty()) out.label = fs::path(path_).lexically_normal().parent_path().filename().string();
    out.parameters = plan_.parameters;
    if (!plan_.imported) out.command = plan_.command;
    OPSIGHT_ASSIGN(const std::vector<plan::Point> points, plan::points_of(plan_.parameters));
    std::map<std::string, size_t> places;
    for (const plan::Point& each : points) {
        places.emplace(plan::name_of(plan_.parameters, each), out.points.size());
        out.points.push_back({each, plan::name_of(plan_.parameters, each), {}});
    }
    for (const auto& [key, run] : runs_) {
        const auto place = places.find(run.point);
        if (place == places.end()) continue;
        RunOfSweep& into = out.points[place->second].runs.emplace_back();
        into.repeat = run.repeat;
        into.bare = run.bare;
        into.failed = run.failed;
        into.wall_s = run.wall_s;
        into.rss_bytes = run.rss_bytes;
        if (run.bare || !run.failed.empty()) continue;
        if (asker && asker->cancelled()) return fail("nobody waits for the answer");
        Result<RecordedRun> recorded = this->recorded(run, out.notes, may_write);
        if (recorded)
            into.recorded = *std::move(recorded);
        else
            into.failed = recorded.error().message();
    }
    take_prediction(out);
    if (unread_ == 1)
        out.notes.push_back(
            fmt::format("line {} of runs.jsonl is not a run and was passed over", first_unread_));
    else if (unread_ > 1)
        out.notes.push_back(fmt::format(
            "{} lines of runs.jsonl, the first of them line {}, are not runs and were passed over", unread_,
            first_unread_));
    return out;
}

}  // namespace opsight::query
