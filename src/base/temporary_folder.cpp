#include "base/temporary_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace opsight {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::create() {
    std::error_code problem;
    std::string path = (fs::temp_directory_path(problem) / "opsight-XXXXXX").string();
    if (problem || !::mkdtemp(path.data()))
        return fail(fmt::format("no temporary folder can be made: {}", std::strerror(errno)), path, {},
                    "set TMPDIR to a folder that can be written, with space");
    return TemporaryFolder(path);
}

}  // namespace opsight
