// Files for tests: a folder that goes away, and gzip and tar made in memory.
#pragma once

#include <zlib.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace opsight::testing {

class TempFolder {
  public:
    TempFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "opsight-test-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~TempFolder() { std::filesystem::remove_all(path_); }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    // Writes a file and gives its path.
    std::string write(const std::string& name, std::string_view content) const {
        const std::string path = path_ + "/" + name;
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        std::ofstream(path, std::ios::binary) << content;
        return path;
    }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

inline std::string gzip(std::string_view text) {
    z_stream z{};
    ::deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(::deflateBound(&z, text.size()) + 32, '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    ::deflate(&z, Z_FINISH);
    out.resize(z.total_out);
    ::deflateEnd(&z);
    return out;
}

// One member of a tar archive: header and padded content. `type`: '0' file, '2' symbolic link, 'L' long
// name...
inline std::string tar_member(const std::string& name, std::string_view content, char type = '0',
                              uint64_t told_size = UINT64_MAX) {
    char h[512] = {};
    std::snprintf(h, 100, "%s", name.c_str());
    std::memcpy(h + 100, "0000644\0000000000\0000000000", 24);
    std::snprintf(h + 124, 12, "%011llo",
                  static_cast<unsigned long long>(told_size == UINT64_MAX ? content.size() : told_size));
    std::memcpy(h + 136, "00000000000", 12);
    std::memset(h + 148, ' ', 8);
    h[156] = type;
    std::memcpy(h + 257, "ustar\00000", 8);
    unsigned sum = 0;
    for (const char c : h)
        sum += static_cast<unsigned char>(c);
    std::snprintf(h + 148, 8, "%06o", sum);
    std::string out(h, sizeof h);
    out += content;
    out.resize((out.size() + 511) / 512 * 512);
    return out;
}
inline std::string tar_end() {
    return std::string(1024, '\0');
}

inline std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace opsight::testing
