#include "fleet/parquet/catalog.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/sql.h"
#include "fleet/parquet/layout.h"

namespace opsight::fleet::parquet {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostRuns = 100'000, kMostFilesOfView = 50'000;

std::string_view sql_type(Type type) {
    return type == Type::kText ? "VARCHAR" : type == Type::kInteger ? "BIGINT" : "DOUBLE";
}

Result<std::vector<std::string>> run_names(const std::string& root) {
    std::vector<std::string> names;
    std::error_code problem;
    for (fs::directory_iterator at(runs_folder(root), problem), end; !problem && at != end;
         at.increment(problem)) {
        const std::string name = at->path().stem().string();
        if (at->path().extension() != ".json" || !is_id(name))
            continue;  // one that is being written, or not ours
        names.push_back(name);
        if (names.size() > kMostRuns)
            return fail(fmt::format("has more than {} runs", kMostRuns), root, {},
                        "use a store of ClickHouse");
    }
    if (problem && problem != std::errc::no_such_file_or_directory)
        return fail("cannot be read: " + problem.message(), runs_folder(root));
    std::sort(names.begin(), names.end());
    return names;
}

Status check_file(const std::string& path, int64_t bytes) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode))
        return fail(Error{"is missing, though the manifest of its run names it",
                          path,
                          {},
                          "push the run again, or delete its manifest in _runs/",
                          1,
                          ErrorCode::kNotFound});
    std::error_code problem;  // the root has no links in it
    if (fs::canonical(path, problem) != path) return fail("leads out of the store by a link", path);
    if (found.st_size != bytes)
        return fail(fmt::format("has {} bytes, and {} by the manifest of its run: it is cut or was changed",
                                found.st_size, bytes),
                    path, {}, "push the run again, or delete its manifest in _runs/");
    return {};
}

}  // namespace

Result<std::vector<Manifest>> read_catalog(const std::string& root, const std::optional<std::string>& run) {
    std::vector<std::string> names;
    if (run) {
        if (is_id(*run) && has_manifest(manifest_path(root, *run))) names.push_back(*run);
    } else {
        OPSIGHT_ASSIGN(names, run_names(root));
    }
    std::vector<Manifest> all;
    for (const std::string& name : names) {
        OPSIGHT_ASSIGN(Manifest manifest, read_manifest(manifest_path(root, name), name));
        all.push_back(std::move(manifest));
    }
    return all;
}

Result<std::string> view_of(const Table& table, const std::string& root, const std::vector<Manifest>& runs) {
    std::string files, columns = "run::VARCHAR AS run";
    size_t count = 0;
    for (const Manifest& manifest : runs)
        for (const ManifestFile& file : manifest.files) {
            if (file.part.table != &table) continue;
            const std::string path = part_path(root, manifest.id, file.part);
            OPSIGHT_TRY(check_file(path, file.bytes));
            if (++count > kMostFilesOfView)
                return fail(fmt::format("the table {} has more than {} files in these runs", table.name,
                                        kMostFilesOfView),
                            root, {}, "ask one run with --run, or the table of ranks or runs instead");
            files += (files.empty() ? "" : ", ") + duck::quote_text(path);
        }
    for (const Column& column : table.columns)
        columns += fmt::format(", {0}::{1} AS {0}", duck::quote_name(column.name), sql_type(column.type));
    const std::string view = fmt::format("CREATE OR REPLACE TEMP VIEW {} AS ", duck::quote_name(table.name));
    if (count == 0) {
        std::string none = "NULL::VARCHAR AS run";
        for (const Column& column : table.columns)
            none += fmt::format(", NULL::{} AS {}", sql_type(column.type), duck::quote_name(column.name));
        return view + "SELECT " + none + " WHERE false";
    }
    return view + fmt::format(
                      "SELECT {} FROM read_parquet([{}], hive_partitioning = true, hive_types = "
                      "{{'run': VARCHAR{}}})",
                      columns, files, table.by_rank ? ", 'rank': BIGINT" : "");
}

}  // namespace opsight::fleet::parquet
