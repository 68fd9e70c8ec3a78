// Reads any bytes as the file of named ranges that lies beside a profile.
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "server/aggregations.h"

namespace {

struct Folder {
    std::string path = (std::filesystem::temp_directory_path() / "opsight-fuzz-XXXXXX").string();
    Folder() {
        if (!::mkdtemp(path.data())) std::abort();
    }
    ~Folder() {
        ::unlink((path + "/a.opsight-views").c_str());
        ::rmdir(path.c_str());
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const Folder folder;
    const std::string profile = folder.path + "/a.opsight";
    std::ofstream(opsight::server::aggregations_path(profile), std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    opsight::server::Aggregations kept(profile, false);
    for (const auto& each : kept.list())
        (void)kept.remove(each.id);
    return 0;
}
