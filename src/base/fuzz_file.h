// A file with a fuzzer's bytes, for readers that take a path.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace opsight {

class FuzzFile {
  public:
    FuzzFile() : file_(::mkstemp(path_.data())) {
        if (file_ < 0) std::abort();
    }
    FuzzFile(const FuzzFile&) = delete;
    ~FuzzFile() {
        ::close(file_);
        ::unlink(path_.c_str());
    }
    const std::string& path() const { return path_; }
    void fill(const uint8_t* data, size_t size) const {
        if (::ftruncate(file_, 0) != 0 || ::pwrite(file_, data, size, 0) != static_cast<ssize_t>(size))
            std::abort();
    }

  private:
    std::string path_ = (std::filesystem::temp_directory_path() / "opsight-fuzz-XXXXXX").string();
    int file_;
};

}  // namespace opsight
