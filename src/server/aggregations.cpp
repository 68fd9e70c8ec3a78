#include "server/aggregations.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>

#include "base/json_writer.h"
#include "base/output_file.h"

namespace opsight::server {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int kFormat = 1;
constexpr off_t kMostBytes = 4 * 1024 * 1024;
constexpr int kMostDepth = 16;                  // of its JSON
constexpr int64_t kMostIds = int64_t{1} << 53;  // what JavaScript counts to

// The text of a file that comes with a profile, from whoever made that: of a regular file, and not without
// end.
std::string read_beside(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) throw std::runtime_error("it cannot be opened");
    struct stat about {};
    std::string text;
    if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= kMostBytes) {
        text.resize(static_cast<size_t>(about.st_size));
        const ssize_t got = ::read(file, text.data(), text.size());
        text.resize(got < 0 ? 0 : static_cast<size_t>(got));
    }
    ::close(file);
    return text;
}

// Deep nesting takes the stack of what reads it.
void check_depth(const std::string& text) {
    int depth = 0;
    bool in_text = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_text && c == '\\') ++i;
        if (c == '"') in_text = !in_text;
        if (in_text) continue;
        if (c == '[' || c == '{') ++depth;
        if (c == ']' || c == '}') --depth;
        if (depth > kMostDepth) throw std::runtime_error("it is nested too deep");
    }
}

void put(JsonWriter& json, const Aggregation& a) {
    json.field("id", a.id).field("name", a.name);
    json.field("iter_start", a.range.start).field("iter_stop", a.range.stop);
    json.field("all", a.range.all).field("whole", a.range.whole).field("key_op", a.range.key_op);
    json.field("iteration_range", a.range.iteration_range).key("range").raw(a.found);
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
    a.range.whole = object.value("whole", false);  // files of older versions lack it
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
    if (fs::symlink_status(path_, problem).type() == fs::file_type::not_found) return;
    try {
        const std::string text = read_beside(path_);
        check_depth(text);
        const Json object = Json::parse(text);
        if (object.at("format").get<int>() != kFormat) throw std::runtime_error("format");
        next_id_ = object.at("next_id").get<int64_t>();
        const Json& kept = object.at("aggregations");
        if (next_id_ < 1 || next_id_ > kMostIds || kept.size() > kMost) throw std::runtime_error("numbers");
        for (const Json& each : kept)
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
    JsonWriter json(1);
    json.object([&] {
        json.field("format", kFormat).field("next_id", next_id_).list("aggregations", [&] {
            for (const Aggregation& each : list_)
                json.object([&] { put(json, each); });
        });
    });
    const auto save = [&]() -> Status {
        OPSIGHT_ASSIGN(OutputFile file, OutputFile::create(path_, true));
        OPSIGHT_TRY(file.write(json.take() + "\n"));
        return file.commit();
    };
    if (!save()) not_kept_ = "the file beside the profile cannot be written";
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

std::optional<Aggregation> Aggregations::add(std::string name, const query::RangeOptions& range,
                                             std::string found) {
    const std::lock_guard lock(mutex_);
    const FolderLock alone(folder_);
    read_if_changed();
    const auto same = std::find_if(list_.begin(), list_.end(), [&](const Aggregation& each) {
        return each.name == name && each.range == range;
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
