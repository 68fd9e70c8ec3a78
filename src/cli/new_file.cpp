#include "cli/new_file.h"

namespace opsight::cli {

Status write_new_file(const std::string& path, bool overwrite,
                      const std::function<Status(const TakeText&)>& write) {
    OPSIGHT_ASSIGN(OutputFile file, OutputFile::create(path, overwrite));
    OPSIGHT_TRY(write([&file](std::string_view text) { return file.write(text); }));
    return file.commit();
}

Status write_file(const std::string& path, bool overwrite, std::string_view text) {
    return write_new_file(path, overwrite, [&](const TakeText& take) { return take(text); });
}

}  // namespace opsight::cli
