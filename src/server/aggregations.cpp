#include "server/aggregations.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

namespace opsight::server {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int kFormat = 1;
constexpr std::uintmax_t kMostBytes = 4 * 1024 * 1024;

Json optional_number(const std::optional<int64_t>& value) {
    return value ? Json(*value) : Json();
}

Json to_json(const Aggregation& a) {
    return {{"id", a.id},
            {"name", a.name},
            {"iter_start", optional_number(a.range.start)},
            {"iter_stop", optional_number(a.range.stop)},
            {"all", a.range.all},
            {"key_op", a.range.key_op},
            {"iteration_range", a.range.iteration_range},
            {"range", Json::parse(a.found)}};
}

std::optional<int64_t> number_of(const Json& object, const char* key) {
    const Json& value = object.at(key);
    return value.is_null() ? std::nullopt : std::optional<int64_t>(value.get<int64_t>());
}

Aggregation from_json(const Json& object) {
    Aggregation a;
    a.id = object.at("id").get<std::string>();
    a.name = object.at("name").get<std::string>();
    a.range.start = number_of(object, "iter_start");
    a.range.stop = number_of(object, "iter_stop");
    a.range.all = object.at("all").get<bool>();
    a.range.key_op = object.at("key_op").get<std::string>();
    a.range.iteration_range = object.at("iteration_range").get<std::string>();
    a.found = object.at("range").dump();
    return a;
}

// Between reading the file and writing it no other viewer does. Where the file system knows no locks, there
// is none.
class FolderLock {
  public:
    explicit FolderLock(const std::string& folder)
        : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        if (folder_ >= 0) (void)::flock(folder_, LOCK_EX);
    }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    ~FolderLock() {
        if (folder_ >= 0) ::close(folder_);
    }

  private:
    int folder_;
};

bool same_range(const RangeOptions& a, const RangeOptions& b) {
    return std::tie(a.start, a.stop, a.all, a.key_op, a.iteration_range) ==
           std::tie(b.start, b.stop, b.all, b.key_op, b.iteration_range);
}

}  // namespace

std::string aggregations_path(const std::string& profile) {
    constexpr std::string_view kEnding = ".opsight";
    const std::string stem =
        profile.ends_with(kEnding) ? profile.substr(0, profile.size() - kEnding.size()) : profile;
    return stem + ".opsight-views";
}

Aggregations::Aggregations(const std::string& profile, bool read_only) : path_(aggregations_path(profile)) {
    read();
    const fs::path folder = fs::path(path_).has_parent_path() ? fs::path(path_).parent_path() : fs::path(".");
    folder_ = folder.string();
    if (read_only)
        not_kept_ = "the viewer was started with --read-only";
    else if (not_kept_.empty() && ::access(folder.c_str(), W_OK) != 0)
        not_kept_ = "the folder of the profile may not be written to";
}

// A file that is none of ours stays as it is.
void Aggregations::read() {
    seen_ = identity_of(path_);
    std::error_code problem;
    list_.clear();
    if (!fs::exists(path_, problem)) return;
    const std::uintmax_t size = fs::file_size(path_, problem);
    std::ifstream file(path_, std::ios::binary);
    std::string text;
    if (!problem && size <= kMostBytes) text.assign(std::istreambuf_iterator<char>(file), {});
    try {
        const Json object = Json::parse(text);
        if (object.at("format").get<int>() != kFormat) throw std::runtime_error("format");
        next_id_ = object.at("next_id").get<int64_t>();
        for (const Json& each : object.at("aggregations"))
            list_.push_back(from_json(each));
    } catch (const std::exception&) {
        list_.clear();
        next_id_ = 1;
        not_kept_ = fs::path(path_).filename().string() + " cannot be read, and is left as it is";
    }
}

void Aggregations::read_if_changed() {
    if (not_kept_.empty() && identity_of(path_) != seen_) read();
}

void Aggregations::write() {
    if (!not_kept_.empty()) return;
    Json object = {{"format", kFormat}, {"next_id", next_id_}, {"aggregations", Json::array()}};
    for (const Aggregation& each : list_)
        object["aggregations"].push_back(to_json(each));
    const std::string temporary = path_ + ".new";
    std::ofstream file(temporary, std::ios::binary);
    file << object.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
    file.close();
    std::error_code problem;
    if (file) fs::rename(temporary, path_, problem);
    if (!file || problem) {
        fs::remove(temporary, problem);
        not_kept_ = "the file beside the profile cannot be written";
    }
    seen_ = identity_of(path_);
}

std::vector<Aggregation> Aggregations::list() {
    const std::lock_guard lock(mutex_);
    read_if_changed();
    return list_;
}

std::optional<Aggregation> Aggregations::find(const std::string& id) {
    const std::lock_guard lock(mutex_);
    read_if_changed();
    const auto found =
        std::find_if(list_.begin(), list_.end(), [&id](const auto& each) { return each.id == id; });
    return found == list_.end() ? std::nullopt : std::optional(*found);
}

std::optional<Aggregation> Aggregations::add(std::string name, const RangeOptions& range, std::string found) {
    const std::lock_guard lock(mutex_);
    const FolderLock alone(folder_);
    read_if_changed();
    const auto same = std::find_if(list_.begin(), list_.end(), [&](const Aggregation& each) {
        return each.name == name && same_range(each.range, range);
    });
    if (same != list_.end()) return *same;
    if (list_.size() >= kMost) return std::nullopt;
    list_.push_back({std::to_string(next_id_++), std::move(name), range, std::move(found)});
    write();
    return list_.back();
}

bool Aggregations::remove(const std::string& id) {
    const std::lock_guard lock(mutex_);
    const FolderLock alone(folder_);
    read_if_changed();
    const auto found =
        std::find_if(list_.begin(), list_.end(), [&id](const auto& each) { return each.id == id; });
    if (found == list_.end()) return false;
    list_.erase(found);
    write();
    return true;
}

std::string Aggregations::not_kept_because() const {
    const std::lock_guard lock(mutex_);
    return not_kept_;
}

}  // namespace opsight::server
