#include "cli/baselines.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/json_writer.h"
#include "base/output_file.h"
#include "cli/any_profile.h"
#include "cli/new_file.h"
#include "query/compare/side.h"
#include "query/compare/statistics.h"

namespace opsight::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".baseline.json";
constexpr size_t kLongestName = 100, kMostRuns = 1000;
constexpr std::uintmax_t kLargestList = 4 << 20;  // bytes

// No name is a path, hidden, or the name of a file of another baseline: those have an '@'.
bool is_name(std::string_view name) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '_' || c == '.';
    };
    return !name.empty() && name.size() <= kLongestName && name.front() != '.' && name.front() != '-' &&
           std::all_of(name.begin(), name.end(), is_plain);
}

Status check_name(const std::string& name) {
    if (is_name(name)) return {};
    return fail(Error{fmt::format("'{}' cannot be the name of a baseline", name),
                      {},
                      {},
                      "use letters, digits, '-', '_' and '.', and begin with a letter or digit",
                      2});
}

// Of a baseline's own: "NAME@3-1.opsight", the first run of what was third saved under that name.
std::string run_file(const std::string& name, size_t turn, size_t run) {
    return fmt::format("{}@{}-{}.opsight", name, turn, run);
}
bool is_run_file(const std::string& file, const std::string& name) {
    return file.starts_with(name + "@") && file.ends_with(".opsight") && file.find('/') == file.npos;
}

Status copy_file(const std::string& from, const std::string& to) {
    std::ifstream in(from, std::ios::binary);
    if (!in) return fail("cannot be read", from);
    return write_new_file(to, false, [&in, &from](const TakeText& take) -> Status {
        std::vector<char> block(1 << 20);
        while (in.read(block.data(), std::ssize(block)) || in.gcount() > 0)
            OPSIGHT_TRY(take({block.data(), static_cast<size_t>(in.gcount())}));
        return in.bad() ? Status(fail("cannot be read", from)) : Status();
    });
}

std::string now_text() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

// Files that go again unless all goes well.
class Unfinished {
  public:
    ~Unfinished() {
        std::error_code ignored;
        for (const std::string& path : paths_)
            fs::remove(path, ignored);
    }
    void add(std::string path) { paths_.push_back(std::move(path)); }
    void keep() { paths_.clear(); }

  private:
    std::vector<std::string> paths_;
};

Error not_ours(const std::string& path) {
    return {"is not a list of a baseline's runs", path, {}, "save the baseline again, with --force"};
}

}  // namespace

std::string Baselines::path_of(const std::string& file) const {
    return (fs::path(folder_) / file).string();
}
std::string Baselines::list_of(const std::string& name) const {
    return path_of(name + std::string(kEnding));
}

Result<SavedRun> Baselines::save_run(const std::string& from, const std::string& file) const {
    OPSIGHT_ASSIGN(const AnyProfile profile, AnyProfile::open(from, false));
    // A run that cannot be compared is not a baseline.
    OPSIGHT_ASSIGN(query::Session session, query::Session::open(profile.path(), {}));
    OPSIGHT_ASSIGN(const query::Side side, query::read_samples(session, from));
    OPSIGHT_TRY(copy_file(profile.path(), path_of(file)));
    return SavedRun{file, fs::path(from).filename().string(), side.range.whole ? 0 : std::ssize(side.samples),
                    query::median_of(side.times())};
}

Status Baselines::write_list(const Baseline& baseline, bool replace) const {
    JsonWriter json(2);
    json.object([&] {
        json.field("baseline", baseline.name).field("saved", baseline.saved);
        json.list("runs", [&] {
            for (const SavedRun& run : baseline.runs)
                json.object([&] {
                    json.field("file", run.file).field("from", run.from);
                    json.field("iterations", run.iterations).field("median_ns", run.median_ns);
                });
        });
    });
    return write_file(list_of(baseline.name), replace, json.take() + "\n");
}

// The first of which no run is there: what was interrupted may have left its second without its first.
Result<size_t> Baselines::free_turn(const std::string& name) const {
    OPSIGHT_ASSIGN(const std::vector<std::string> there, file_names());
    for (size_t turn = 1;; ++turn)
        if (const std::string begin = fmt::format("{}@{}-", name, turn);
            std::none_of(there.begin(), there.end(),
                         [&begin](const std::string& file) { return file.starts_with(begin); }))
            return turn;
}

// Of a folder that is not there none.
Result<std::vector<std::string>> Baselines::file_names() const {
    std::vector<std::string> names;
    std::error_code problem;
    for (fs::directory_iterator at(folder_, problem), end; !problem && at != end; at.increment(problem))
        names.push_back(at->path().filename().string());
    if (problem && problem != std::errc::no_such_file_or_directory)
        return fail("cannot be read: " + problem.message(), folder_);
    return names;
}

Result<Baseline> Baselines::save(const std::string& name, const std::vector<std::string>& runs,
                                 bool replace) const {
    OPSIGHT_TRY(check_name(name));
    if (runs.size() > kMostRuns) return fail(fmt::format("a baseline has at most {} runs", kMostRuns));
    std::error_code problem;
    fs::create_directories(folder_, problem);
    if (problem) return fail("cannot be made: " + problem.message(), folder_);
    OPSIGHT_TRY(check_output(list_of(name), replace));
    Baseline old;
    if (auto found = read(name)) old = std::move(*found);
    OPSIGHT_ASSIGN(const size_t turn, free_turn(name));
    Baseline made{name, now_text(), {}};
    Unfinished files;
    for (size_t i = 0; i < runs.size(); ++i) {
        const std::string file = run_file(name, turn, i + 1);
        OPSIGHT_ASSIGN(SavedRun run, save_run(runs[i], file));
        files.add(path_of(file));
        made.runs.push_back(std::move(run));
    }
    OPSIGHT_TRY(write_list(made, replace));
    files.keep();
    for (const SavedRun& run : old.runs)
        fs::remove(path_of(run.file), problem);
    return made;
}

Result<Baseline> Baselines::read(const std::string& name) const {
    const std::string path = list_of(name);
    std::error_code problem;
    const std::uintmax_t size = fs::file_size(path, problem);
    if (problem)
        return fail(fmt::format("there is no baseline '{}'", name), folder_, {},
                    "'opsight baseline list' shows those there are");
    std::ifstream in(path, std::ios::binary);
    const nlohmann::json json =
        size > kLargestList ? nlohmann::json() : nlohmann::json::parse(in, nullptr, false);
    if (!json.is_object() || json.value("baseline", nlohmann::json()) != name || !json.contains("runs") ||
        !json["runs"].is_array() || json["runs"].empty() || json["runs"].size() > kMostRuns)
        return fail(not_ours(path));
    const auto text = [](const nlohmann::json& from, const char* key) {
        return from.is_object() && from.contains(key) && from[key].is_string() ? from[key].get<std::string>()
                                                                               : std::string();
    };
    const auto number = [](const nlohmann::json& from, const char* key) {
        return from.is_object() && from.contains(key) && from[key].is_number_integer()
                   ? from[key].get<int64_t>()
                   : 0;
    };
    Baseline baseline{name, text(json, "saved"), {}};
    for (const nlohmann::json& run : json["runs"]) {
        if (!is_run_file(text(run, "file"), name)) return fail(not_ours(path));
        baseline.runs.push_back(
            {text(run, "file"), text(run, "from"), number(run, "iterations"), number(run, "median_ns")});
    }
    return baseline;
}

Result<std::vector<Baseline>> Baselines::list() const {
    std::vector<std::string> names;
    OPSIGHT_ASSIGN(const std::vector<std::string> there, file_names());
    for (const std::string& file : there) {
        if (!file.ends_with(kEnding)) continue;
        if (std::string name = file.substr(0, file.size() - kEnding.size()); is_name(name))
            names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    std::vector<Baseline> all;
    for (const std::string& name : names) {
        OPSIGHT_ASSIGN(Baseline baseline, read(name));
        all.push_back(std::move(baseline));
    }
    return all;
}

Result<std::vector<std::string>> Baselines::files(const std::string& name) const {
    OPSIGHT_TRY(check_name(name));
    OPSIGHT_ASSIGN(const Baseline baseline, read(name));
    std::vector<std::string> all;
    for (const SavedRun& run : baseline.runs)
        all.push_back(path_of(run.file));
    return all;
}

}  // namespace opsight::cli
