#include "fleet/parquet/manifest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_writer.h"
#include "fleet/parquet/layout.h"

namespace opsight::fleet::parquet {
namespace {

using Json = nlohmann::json;

constexpr int64_t kLargestManifest = 64 << 20;
constexpr size_t kMostFiles = 2'000'000;
constexpr int64_t kLargestRank = 100'000'000;

constexpr const char* kRemedy =
    "push the run again; a manifest that is damaged can be deleted, and its run is gone then";

// A whole number that is not negative; -1 where it is something else.
int64_t number(const Json& value) {
    return value.is_number_unsigned() && value.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX)
               ? static_cast<int64_t>(value.get<uint64_t>())
               : -1;
}

std::string text_of(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// [rank, bytes] or [bytes].
bool read_file(const Json& entry, const Table& table, Manifest& to) {
    const size_t fields = table.by_rank ? 2 : 1;
    if (!entry.is_array() || entry.size() != fields) return false;
    ManifestFile file;
    file.part.table = &table;
    file.bytes = number(entry[fields - 1]);
    if (table.by_rank) file.part.rank = number(entry[0]);
    if (file.bytes <= 0 || (table.by_rank && (*file.part.rank < 0 || *file.part.rank > kLargestRank)))
        return false;
    to.files.push_back(file);
    return to.files.size() <= kMostFiles;
}

bool read_tables(const Json& tables, Manifest& to) {
    if (!tables.is_object()) return false;
    for (const auto& [name, entries] : tables.items()) {
        const Table* table = find_table(name);
        if (!table || !entries.is_array() || (!table->by_rank && entries.size() != 1)) return false;
        std::set<int64_t> ranks;
        for (const Json& entry : entries) {
            if (!read_file(entry, *table, to)) return false;
            if (table->by_rank && !ranks.insert(*to.files.back().part.rank).second) return false;
        }
    }
    return true;
}

Result<Manifest> parsed(const std::string& text, const std::string& path, const std::string& run) {
    const Json whole = Json::parse(text, nullptr, false);
    const auto bad = [&path](std::string what) { return fail(std::move(what), path, {}, kRemedy); };
    if (!whole.is_object()) return bad("is not a manifest of a run: it is not JSON, or cut");
    const auto version = whole.find("facts_version");
    if (version == whole.end() || number(*version) <= 0) return bad("is not a manifest of a run");
    if (number(*version) != kFactsVersion)
        return fail(
            Error{fmt::format("is of version {} of the facts; this Opsight reads version {}",
                              number(*version), kFactsVersion),
                  path,
                  {},
                  "use the Opsight that pushed it, or push the run again with this one",
                  1,
                  number(*version) > kFactsVersion ? ErrorCode::kNewerSchema : ErrorCode::kOlderSchema});
    Manifest manifest;
    manifest.id = {text_of(whole, "run"), text_of(whole, "push")};
    if (manifest.id.run != run || !is_id(manifest.id.push)) return bad("is the manifest of another run");
    const auto tables = whole.find("files");
    if (tables == whole.end() || !read_tables(*tables, manifest)) return bad("does not list files of a run");
    return manifest;
}

}  // namespace

std::string Manifest::text() const {
    std::map<std::string_view, std::vector<const ManifestFile*>> by_table;
    for (const ManifestFile& file : files)
        by_table[file.part.table->name].push_back(&file);
    JsonWriter json;
    json.object([&] {
        json.field("facts_version", kFactsVersion).field("run", id.run).field("push", id.push);
        json.object("files", [&] {
            for (const auto& [table, parts] : by_table)
                json.list(table, [&json, &parts = parts] {
                    for (const ManifestFile* file : parts)
                        json.list([&] {
                            if (file->part.rank) json.value(*file->part.rank);
                            json.value(file->bytes);
                        });
                });
        });
    });
    return json.take() + "\n";
}

Result<std::string> read_small_file(const std::string& path, int64_t most) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const auto problem = [&path](const char* what, int number) {
        return fail(Error{fmt::format("{}: {}", what, std::strerror(number)),
                          path,
                          {},
                          {},
                          1,
                          number == ENOENT ? ErrorCode::kNotFound : ErrorCode::kOther});
    };
    if (file < 0) return problem("cannot be read", errno);
    struct stat found {};
    std::string text;
    if (::fstat(file, &found) != 0 || !S_ISREG(found.st_mode) || found.st_size > most) {
        ::close(file);
        return fail(fmt::format("is not a regular file of at most {} bytes", most), path);
    }
    text.resize(static_cast<size_t>(found.st_size));
    size_t got = 0;
    while (got < text.size()) {
        const ssize_t bytes = ::read(file, text.data() + got, text.size() - got);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes <= 0) break;
        got += static_cast<size_t>(bytes);
    }
    text.resize(got);
    ::close(file);
    return text;
}

bool has_manifest(const std::string& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0;
}

Result<Manifest> read_manifest(const std::string& path, const std::string& run) {
    OPSIGHT_ASSIGN(const std::string text, read_small_file(path, kLargestManifest));
    return parsed(text, path, run);
}

}  // namespace opsight::fleet::parquet
