#include "base/duckdb_log.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

namespace opsight::duck {

// As DuckDB 1.4 names it: what follows a question mark is none of the name for it.
std::string log_beside(const std::string& path) {
    std::string log = path;
    return log.insert(std::min(path.find('?'), path.size()), ".wal");
}

Status check_log(const std::string& path) {
    const std::string log = log_beside(path);
    struct stat found {};
    if (::lstat(log.c_str(), &found) != 0 || S_ISREG(found.st_mode)) return {};
    return fail(fmt::format("what is beside it as {} is not a regular file",
                            std::filesystem::path(log).filename().string()),
                path, {}, "remove that: no profile that is whole needs it");
}

}  // namespace opsight::duck
