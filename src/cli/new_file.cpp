#include "cli/new_file.h"

#include <cstdio>
#include <memory>

#include "cli/save_profile.h"

namespace opsight::cli {

Status write_new_file(const std::string& path, bool overwrite,
                      const std::function<Status(const TakeText&)>& write) {
    OPSIGHT_TRY(check_output(path, overwrite));
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "wb"));
    bool good = file != nullptr;
    const TakeText take = [&](std::string_view text) -> Status {
        good = good && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
        if (!good) return fail("cannot be written", path);
        return {};
    };
    OPSIGHT_TRY(good ? write(take) : take({}));
    if (std::fclose(file.release()) != 0) return fail("cannot be written", path);
    return {};
}

}  // namespace opsight::cli
